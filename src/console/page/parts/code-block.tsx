import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { bind } from './fields.tsx'

/** Characters shown at once: browsers need seconds for a line of a million. */
const PART = 8_000
/** Colored texts and those between them. */
const MOST_COLORED = 1_500

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
export function CodeBlock({ text, json = false, ...look }: Look & { text: string; json?: boolean }) {
  const parts = useMemo(() => cut(text), [text])
  return (
    <CodeParts {...look} count={parts.length}>
      {(index) => {
        const [start = 0, end = 0] = parts[index] ?? []
        const part = text.slice(start, end)
        // A part that starts within a string would be colored wrongly.
        return json && (start === 0 || text[start - 1] === '\n') ? color(part) : part
      }}
    </CodeParts>
  )
}

/** Preformatted text, one part at a time. */
export function CodeParts({
  count,
  children,
  ...look
}: Look & { count: number; children: (index: number) => ComponentChildren }) {
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

/** Start and end of the parts, which end with a line if there is one. */
function cut(text: string): (readonly [start: number, end: number])[] {
  const parts: [number, number][] = []
  let start = 0
  do {
    let end = Math.min(text.length, start + PART)
    if (end < text.length) end = start + (text.slice(start, end).lastIndexOf('\n') + 1 || PART)
    parts.push([start, end])
    start = end
  } while (start < text.length)
  return parts
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(?:true|false|null)\b/g

function color(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let end = 0
  for (const { 0: token, 1: string, 2: colon, 3: number, index } of text.matchAll(TOKEN)) {
    const name =
      string === undefined ? (number === undefined ? 't-word' : 't-number') : colon ? 't-name' : 't-string'
    parts.push(text.slice(end, index), <span class={name}>{string ?? token}</span>)
    end = index + (string ?? token).length
    if (parts.length > MOST_COLORED) break
  }
  return [...parts, text.slice(end)]
}
