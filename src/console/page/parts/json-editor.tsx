import { useId, useRef } from 'preact/hooks'
import { CodeBlock } from './code-block.tsx'
import { Button } from './fields.tsx'
import { findMistakes, formatJson, type JsonMistake, MAX_EDITABLE } from './json.ts'

export function JsonEditor(props: {
  label: string
  value: string
  onChange: (text: string) => void
  /** Any text will do. */
  plain?: boolean
}) {
  const { label, value, onChange, plain = false } = props
  if (value.length > MAX_EDITABLE)
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
  const id = useId()
  const mistakes = plain ? [] : findMistakes(value)
  const select = ({ offset, length }: JsonMistake) => {
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
          <Button look="plain small" disabled={mistakes.length > 0} work={() => onChange(formatJson(value))}>
            Format
          </Button>
        )}
      </div>
      <textarea
        ref={area}
        id={id}
        rows={Math.min(24, Math.max(8, value.split('\n').length + 1))}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        value={value}
        aria-invalid={mistakes.length > 0}
        aria-describedby={`${id}-errors`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <div id={`${id}-errors`} class="errors" aria-live="polite">
        {mistakes.slice(0, 3).map((mistake) => (
          <Button key={mistake.line} look="plain small" work={() => select(mistake)}>
            Line {mistake.line}, column {mistake.column}: {mistake.message}
          </Button>
        ))}
      </div>
    </div>
  )
}
