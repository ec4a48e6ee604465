import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { CodeBlock } from './code-block.tsx'
import { Button } from './fields.tsx'
import { findMistakes, formatJson, type JsonMistake, MAX_EDITABLE } from './json.ts'

/** A text area for JSON. Its form cannot be submitted with a mistake in it; Ctrl and Enter submit it. */
export function JsonEditor(props: {
  label: string
  value: string
  onChange: (text: string) => void
  /** Any text will do. */
  plain?: boolean
}) {
  const { label, value, onChange, plain = false } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const isTooLong = value.length > MAX_EDITABLE
  const mistakes = plain ? [] : findMistakes(value)
  const [first] = mistakes
  useLayoutEffect(() => area.current?.setCustomValidity(first ? `Line ${first.line}: ${first.message}` : ''))
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
        {isTooLong && <Button look="plain small" work={() => onChange('')} text="Clear" />}
        {!plain && !isTooLong && (
          <Button look="plain small" work={() => onChange(formatJson(value))} text="Format" />
        )}
      </div>
      {isTooLong ? (
        <>
          <p class="soft">Too long to be edited here.</p>
          <CodeBlock label={label} text={value} />
        </>
      ) : (
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
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) area.current?.form?.requestSubmit()
          }}
        />
      )}
      <div id={`${id}-errors`} class="errors" aria-live="polite">
        {mistakes.slice(0, 3).map((mistake) => (
          <Button
            key={mistake.line}
            look="plain small"
            work={() => select(mistake)}
            text={`Line ${mistake.line}, column ${mistake.column}: ${mistake.message}`}
          />
        ))}
      </div>
    </div>
  )
}
