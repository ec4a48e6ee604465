import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import { CodeBlock } from './code-block.tsx'
import { Button, set } from './fields.tsx'
import { findMistakes, formatJson, type JsonMistake, MOST_EDITABLE } from './json.ts'

/** Height of a line, as in the style sheet. */
const LINE_PX = 19
/** Line numbers rendered at once. */
const SHOWN = 120

/** A text area for JSON that shows what is wrong, and where. */
export function JsonEditor(props: {
  label: string
  value: string
  onChange: (text: string) => void
  /** Any text will do. */
  plain?: boolean
}) {
  const { label, value, onChange, plain = false } = props
  if (value.length > MOST_EDITABLE)
    return (
      <div class="field">
        <div class="actions">
          <span class="grow">{label}</span>
          <Button look="plain small" work={() => onChange('')}>
            Clear
          </Button>
        </div>
        <p class="soft">Too long to be edited here.</p>
        <CodeBlock label={label} text={value} />
      </div>
    )
  return <Editor label={label} value={value} onChange={onChange} plain={plain} />
}

function Editor({ label, value, onChange, plain }: Required<Parameters<typeof JsonEditor>[0]>) {
  const area = useRef<HTMLTextAreaElement>(null)
  const scrolled = useSignal(0)
  const id = useId()
  const mistakes = plain ? new Map() : byLine(value)
  const lines = value.split('\n').length
  const first = Math.floor(scrolled.value / LINE_PX)

  function select({ offset, length }: JsonMistake): void {
    area.current?.focus()
    area.current?.setSelectionRange(offset, offset + Math.max(1, length))
  }

  return (
    <div class="field">
      <div class="actions">
        <label class="grow" for={id}>
          {label}
        </label>
        {!plain && (
          <Button look="plain small" disabled={mistakes.size > 0} work={() => onChange(formatJson(value))}>
            Format
          </Button>
        )}
      </div>
      <div class="editor">
        <div class="gutter mono" aria-hidden="true">
          <div style={{ marginTop: `${first * LINE_PX - scrolled.value}px` }}>
            {Array.from({ length: Math.min(SHOWN, lines - first) }, (_, index) => (
              <div key={index} class={mistakes.has(first + index + 1) ? 'wrong' : undefined}>
                {first + index + 1}
              </div>
            ))}
          </div>
        </div>
        <textarea
          ref={area}
          id={id}
          rows={Math.min(24, Math.max(8, lines + 1))}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={value}
          aria-invalid={mistakes.size > 0}
          aria-describedby={`${id}-errors`}
          onInput={(event) => onChange(event.currentTarget.value)}
          onScroll={(event) => set(scrolled, event.currentTarget.scrollTop)}
        />
      </div>
      <div id={`${id}-errors`} class="errors" aria-live="polite">
        {[...mistakes].slice(0, 3).map(([line, mistake]) => (
          <Button key={line} look="plain small" work={() => select(mistake)}>
            Line {line}, column {mistake.column}: {mistake.message}
          </Button>
        ))}
      </div>
    </div>
  )
}

/** The first mistake of each line: it often causes others in the same line. */
function byLine(text: string): Map<number, JsonMistake & { column: number }> {
  const found = new Map<number, JsonMistake & { column: number }>()
  let line = 1
  let start = 0
  for (const mistake of findMistakes(text)) {
    for (
      let end = text.indexOf('\n', start);
      end >= 0 && end < mistake.offset;
      end = text.indexOf('\n', start)
    ) {
      line++
      start = end + 1
    }
    if (!found.has(line)) found.set(line, { ...mistake, column: mistake.offset - start + 1 })
  }
  return found
}
