import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes } from 'preact'
import { kindLabel } from './format.ts'
import { showErrors } from './notice.tsx'

/** Attributes of an input for what is compared exactly. */
export const EXACT = { class: 'mono', spellcheck: false, autocomplete: 'off' } as const

export function set<Value>(target: Signal<Value>, value: Value): void {
  target.value = value
}

/** Attributes of an input that shows and changes a signal. */
export function bind<Value extends string>(target: Signal<Value>) {
  return {
    value: target.value,
    onInput: (event: { currentTarget: { value: string } }) => set(target, event.currentTarget.value as Value),
  }
}

export function InputField({ label, ...attributes }: { label: string } & InputHTMLAttributes) {
  return (
    <label class="field">
      <span>{label}</span>
      <input {...attributes} />
    </label>
  )
}

type SelectProps = { label: string; options: Readonly<Record<string, string>> } & SelectHTMLAttributes

export function SelectField({ label, ...props }: SelectProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the select.
    <label class="field">
      <span>{label}</span>
      <Select label={label} {...props} />
    </label>
  )
}

/** A select. Options that look like integers come first, in ascending order. */
export function Select({ label, options, ...attributes }: SelectProps) {
  return (
    <select aria-label={label} {...attributes}>
      {Object.entries(options).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}

export function kindOptions(kinds: readonly string[]): Record<string, string> {
  return Object.fromEntries([['', 'All kinds'], ...kinds.map((kind) => [kind, kindLabel(kind)])])
}

/** A search field, which the key / focuses. */
export function SearchField({ label, text }: { label: string; text: Signal<string> }) {
  return (
    <input id="search" class="grow" type="search" placeholder={label} aria-label={label} {...bind(text)} />
  )
}

/** A checkbox of a form, or one that does its work at once. */
export function Checkbox(props: {
  name?: string
  checked?: boolean
  defaultChecked?: boolean
  work?: (checked: boolean) => unknown
  children: ComponentChildren
}) {
  const { work, children, ...attributes } = props
  const onChange = ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
    void showErrors(() => work?.(currentTarget.checked))
  return (
    <label class="check">
      <input type="checkbox" onChange={onChange} {...attributes} />
      {children}
    </label>
  )
}

export function Tabs<Value extends string>(props: {
  label: string
  selected: Signal<Value>
  options: Readonly<Record<Value, ComponentChildren>>
  onSelect?: () => void
}) {
  return (
    <fieldset class="tabs">
      <legend class="hidden">{props.label}</legend>
      {(Object.keys(props.options) as Value[]).map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.selected.value}
          onClick={() => {
            props.selected.value = value
            props.onSelect?.()
          }}
        >
          {props.options[value]}
        </button>
      ))}
    </fieldset>
  )
}

/** The fields of a form by name. */
export type Values = Readonly<Partial<Record<string, string>>>

function readForm(form: HTMLFormElement | null): Values {
  return form ? (Object.fromEntries(new FormData(form)) as Values) : {}
}

type Work = (values: Values) => unknown

/** Whether the work is running, and what starts it unless it is. Shows its error. */
function useOneAtATime(work: Work = () => {}): [isBusy: boolean, run: (values: Values) => void] {
  const isBusy = useSignal(false)
  const run = async (values: Values) => {
    if (isBusy.peek()) return
    isBusy.value = true
    await showErrors(() => work(values))
    isBusy.value = false
  }
  return [isBusy.value, run]
}

/** Works once at a time, with the fields of its form. Without work, it submits the form. */
export function Button(props: {
  work?: Work
  text: ComponentChildren
  /** Classes: main, danger, plain, small. */
  look?: string
  /** What it is called if its text does not say enough. */
  label?: string
  disabled?: boolean
  /** It is the step that has been reached. */
  isCurrent?: boolean
}) {
  const { work } = props
  const [isBusy, run] = useOneAtATime(work)
  return (
    <button
      type={work ? 'button' : 'submit'}
      class={props.look}
      aria-label={props.label}
      aria-busy={isBusy}
      aria-current={props.isCurrent ? 'step' : undefined}
      disabled={props.disabled}
      // The second click of a double click may be on what the first one has put here.
      onClick={work && (({ detail, currentTarget: { form } }) => detail < 2 && run(readForm(form)))}
    >
      {props.text}
    </button>
  )
}

/** A form whose work runs when it is submitted, one at a time. */
export function Form(props: {
  work: Work
  look?: string
  onInput?: (() => void) | undefined
  children: ComponentChildren
}) {
  const [isBusy, run] = useOneAtATime(props.work)
  return (
    <form
      class={props.look}
      aria-busy={isBusy}
      onInput={props.onInput}
      onSubmit={(event) => {
        event.preventDefault()
        run(readForm(event.currentTarget))
      }}
    >
      {props.children}
    </form>
  )
}
