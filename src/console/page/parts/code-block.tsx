import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { bind } from './fields.tsx'

/** Characters shown at once: browsers need seconds for a line of a million. */
const PART = 8_000

/** Preformatted text that scrolls. A long text is shown in parts. */
export function CodeBlock(props: {
  label: string
  text: string
  /** Classes: `bare` without a border of its own, `short` a few lines high, `line` without breaking lines. */
  look?: string
}) {
  const { label, text, look = '' } = props
  const parts = useMemo(() => cut(text), [text])
  const part = useSignal('1')
  const index = Math.max(1, Math.min(parts.length, Number(part.value))) - 1 || 0
  return (
    <>
      {parts.length > 1 && (
        <div class="check parts-bar">
          Part
          <input type="number" min="1" max={parts.length} aria-label={`Part of ${label}`} {...bind(part)} />
          of {parts.length}
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard. */}
      <section key={index} class={`code ${look}`} aria-label={label} tabIndex={0}>
        <pre>{parts[index]}</pre>
      </section>
    </>
  )
}

/** The parts of a text, which end with a line if there is one. */
function cut(text: string): string[] {
  const parts: string[] = []
  let rest = text
  while (rest.length > PART) {
    const end = rest.lastIndexOf('\n', PART - 1) + 1 || PART
    parts.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...parts, rest]
}
