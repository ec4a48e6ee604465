import type { ComponentChildren } from 'preact'

/** Preformatted text that scrolls. */
export function CodeBlock(props: {
  label: string
  /** Within a card, without a border of its own. */
  bare?: boolean
  /** A few lines high. */
  short?: boolean
  /** Lines are not broken. */
  lines?: boolean
  children: ComponentChildren
}) {
  const name = ['code', props.bare && 'bare', props.short && 'short', props.lines && 'line']
    .filter(Boolean)
    .join(' ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard.
    <section class={name} aria-label={props.label} tabIndex={0}>
      <pre>{props.children}</pre>
    </section>
  )
}
