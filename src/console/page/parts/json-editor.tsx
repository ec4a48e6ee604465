import { useId, useRef } from 'preact/hooks'
import { findMistakes, formatJson, type JsonMistake } from './json-text.tsx'

/** A text area for JSON that shows what is wrong, and where. */
export function JsonEditor(props: {
  label: string
  value: string
  onChange: (text: string) => void
  /** Any text will do. */
  plain?: boolean
}) {
  const { value, plain = false } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const id = useId()
  // One error often causes others in the same line.
  const mistakes = new Map<number, JsonMistake & { column: number }>()
  for (const mistake of plain ? [] : findMistakes(value)) {
    const { line, column } = toPlace(value, mistake.offset)
    if (!mistakes.has(line)) mistakes.set(line, { ...mistake, column })
  }
  const lines = value.split('\n').length
  const rows = Math.min(24, Math.max(8, lines + 1))

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
            aria-disabled={mistakes.size > 0}
            onClick={() => props.onChange(formatJson(value))}
          >
            Format
          </button>
        )}
      </div>
      <div class="editor">
        <div class="gutter mono" ref={gutter} aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => (
            <div key={index} class={mistakes.has(index + 1) ? 'wrong' : undefined}>
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
          aria-invalid={mistakes.size > 0}
          aria-describedby={`${id}-errors`}
          onInput={(event) => props.onChange(event.currentTarget.value)}
          onScroll={() => gutter.current?.scrollTo(0, area.current?.scrollTop ?? 0)}
        />
      </div>
      <div id={`${id}-errors`} class="errors" aria-live="polite">
        {[...mistakes].slice(0, 3).map(([line, { column, offset, length, message }]) => (
          <button key={line} type="button" class="plain small" onClick={() => select(offset, length)}>
            Line {line}, column {column}: {message}
          </button>
        ))}
      </div>
    </div>
  )
}

function toPlace(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
