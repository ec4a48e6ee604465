import type { Signal } from '@preact/signals'
import type { ComponentChildren, SelectHTMLAttributes } from 'preact'
import { kindLabel } from './format.ts'
import { showErrors } from './notice.tsx'

export function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  )
}

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

/** A select. Keys that look like integers come first, in ascending order. */
export function Select(props: SelectHTMLAttributes & { options: Readonly<Record<string, string>> }) {
  const { options, ...attributes } = props
  return (
    <select {...attributes}>
      {Object.entries(options).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

export function kindOptions(kinds: readonly string[]): Record<string, string> {
  return Object.fromEntries(kinds.map((kind) => [kind, kindLabel(kind)]))
}

/** A search field, which the key / focuses. */
export function SearchField({ label, text }: { label: string; text: Signal<string> }) {
  return (
    <input id="search" class="grow" type="search" placeholder={label} aria-label={label} {...bind(text)} />
  )
}

export function Checkbox(props: {
  checked: boolean
  work: (checked: boolean) => unknown
  children: ComponentChildren
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => void showErrors(() => props.work(event.currentTarget.checked))}
      />
      {props.children}
    </label>
  )
}

export function Tabs<Value extends string>(props: {
  label: string
  selected: Signal<Value>
  options: Readonly<Record<Value, ComponentChildren>>
  onSelect?: () => void
}) {
  const select = (value: Value) => {
    props.selected.value = value
    props.onSelect?.()
  }
  return (
    <fieldset class="tabs">
      <legend class="hidden">{props.label}</legend>
      {(Object.keys(props.options) as Value[]).map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.selected.value}
          onClick={() => select(value)}
        >
          {props.options[value]}
        </button>
      ))}
    </fieldset>
  )
}

/** A button that shows the error of its work. Without work, it submits its form. */
export function Button(props: {
  work?: () => unknown
  /** Classes: main, danger, plain, small. */
  look?: string
  label?: string
  disabled?: boolean | undefined
  children: ComponentChildren
}) {
  const { work, disabled } = props
  return (
    <button
      type={work ? 'button' : 'submit'}
      class={props.look}
      aria-label={props.label}
      aria-disabled={disabled}
      onClick={() => work && !disabled && void showErrors(work)}
    >
      {props.children}
    </button>
  )
}

/** A form whose work runs when it is submitted. */
export function Form(props: { work: () => unknown; look: string; children: ComponentChildren }) {
  return (
    <form
      class={props.look}
      onSubmit={(event) => {
        event.preventDefault()
        void showErrors(props.work)
      }}
    >
      {props.children}
    </form>
  )
}
