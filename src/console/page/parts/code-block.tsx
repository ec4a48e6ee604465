/** Characters that are shown: browsers need seconds for a line of a million. */
const MAX_SHOWN = 8_000

/** Preformatted text that scrolls. Of a long text, only the beginning is shown. */
export function CodeBlock(props: {
  label: string
  text: string
  /** Classes: `bare` without a border of its own, `short` a few lines high, `line` without breaking lines. */
  look?: string
}) {
  const { label, text, look = '' } = props
  const more = text.length - MAX_SHOWN
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard.
    <section class={`code ${look}`} aria-label={label} tabIndex={0}>
      <pre>{text.slice(0, MAX_SHOWN)}</pre>
      {more > 0 && <p class="soft">… {more.toLocaleString('en')} more characters</p>}
    </section>
  )
}
