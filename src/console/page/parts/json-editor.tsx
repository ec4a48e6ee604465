import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { formatJson } from '../../../testing/format-body.ts'
import { CodeBlock } from './code-block.tsx'
import { Button } from './fields.tsx'

/** Longer texts are not edited: browsers need seconds for them. */
const MAX_EDITABLE = 25_000

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
  const mistake = plain || isTooLong ? '' : findMistake(value)
  useLayoutEffect(() => area.current?.setCustomValidity(mistake))
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
          aria-invalid={mistake !== ''}
          aria-describedby={`${id}-mistake`}
          onInput={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.repeat && (event.ctrlKey || event.metaKey))
              area.current?.form?.requestSubmit()
          }}
        />
      )}
      <p id={`${id}-mistake`} class="tone-bad" aria-live="polite">
        {mistake}
      </p>
    </div>
  )
}

/** Why a text is not JSON; empty if it is. */
function findMistake(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
