import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { bind } from './fields.tsx'

/** Characters shown at once: browsers need seconds for a line of a million. */
const PART = 8_000

interface Look {
  label: string
  /** Within a card, without a border of its own. */
  bare?: boolean
  /** A few lines high. */
  short?: boolean
  /** Lines are not broken. */
  lines?: boolean
}

/** Preformatted text that scrolls. A long text is shown in parts. */
export function CodeBlock({ text, ...look }: Look & { text: string }) {
  const parts = useMemo(() => cut(text), [text])
  return (
    <CodeParts {...look} count={parts.length}>
      {(index) => parts[index]}
    </CodeParts>
  )
}

export function CodeParts({
  count,
  children,
  ...look
}: Look & { count: number; children: (index: number) => string | undefined }) {
  const part = useSignal('1')
  const index = Math.max(1, Math.min(count, Number(part.value))) - 1 || 0
  const names = ['code', look.bare && 'bare', look.short && 'short', look.lines && 'line']
  return (
    <>
      {count > 1 && (
        <div class="check parts-bar">
          Part
          <input type="number" min="1" max={count} aria-label={`Part of ${look.label}`} {...bind(part)} />
          of {count}
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard. */}
      <section key={index} class={names.filter(Boolean).join(' ')} aria-label={look.label} tabIndex={0}>
        <pre>{children(index)}</pre>
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
