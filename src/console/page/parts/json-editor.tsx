import { useId, useRef } from 'preact/hooks'
import { findMistakes, formatJson } from './json-text.tsx'

/** A text area for JSON, which says what is wrong and where. */
export function JsonEditor(props: {
  label: string
  value: string
  onChange: (text: string) => void
  rows?: number
  /** Any text will do. */
  plain?: boolean
}) {
  const { value, rows = 16, plain = false } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const id = useId()
  const mistakes = plain ? [] : findMistakes(value)
  const wrong = new Set(mistakes.map(({ offset }) => toPlace(value, offset).line))
  const lines = value.split('\n').length

  function select(offset: number, length: number): void {
    area.current?.focus()
    area.current?.setSelectionRange(offset, offset + Math.max(1, length))
  }

  return (
    <div class="field">
      <div class="actions">
        <label class="grow" for={id}>
          {props.label}
        </label>
        {!plain && (
          <button
            type="button"
            class="plain small"
            aria-disabled={mistakes.length > 0}
            onClick={() => props.onChange(formatJson(value))}
          >
            Format
          </button>
        )}
      </div>
      <div class="editor">
        <div class="gutter mono" ref={gutter} aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => (
            <div key={index} class={wrong.has(index + 1) ? 'wrong' : undefined}>
              {index + 1}
            </div>
          ))}
        </div>
        <textarea
          ref={area}
          id={id}
          rows={rows}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={value}
          aria-invalid={mistakes.length > 0}
          aria-describedby={`${id}-errors`}
          onInput={(event) => props.onChange(event.currentTarget.value)}
          onScroll={() => gutter.current?.scrollTo(0, area.current?.scrollTop ?? 0)}
        />
      </div>
      <div id={`${id}-errors`} class="errors" aria-live="polite">
        {mistakes.slice(0, 3).map(({ offset, length, message }) => {
          const { line, column } = toPlace(value, offset)
          return (
            <button key={offset} type="button" class="plain small" onClick={() => select(offset, length)}>
              Line {line}, column {column}: {message}
            </button>
          )
        })}
      </div>
    </div>
  )
}

function toPlace(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
