import type { Signal } from '@preact/signals'
import type { ComponentChildren, SelectHTMLAttributes } from 'preact'
import { attempt } from './notice.tsx'

/** A labeled input. */
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

export function Select({
  options,
  ...attributes
}: SelectHTMLAttributes & {
  options: readonly (readonly [value: string, label: string])[]
}) {
  return (
    <select {...attributes}>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

/** A group of buttons, one of which is pressed. */
export function Tabs<Value extends string>(props: {
  label: string
  selected: Signal<Value>
  options: readonly (readonly [value: Value, label: ComponentChildren])[]
  onSelect?: () => void
}) {
  return (
    <fieldset class="tabs">
      <legend class="hidden">{props.label}</legend>
      {props.options.map(([value, label]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.selected.value}
          onClick={() => {
            props.selected.value = value
            props.onSelect?.()
          }}
        >
          {label}
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
  disabled?: boolean
  children: ComponentChildren
}) {
  const { work, disabled } = props
  return (
    <button
      type={work ? 'button' : 'submit'}
      class={props.look}
      aria-label={props.label}
      aria-disabled={disabled}
      onClick={() => work && !disabled && void attempt(work)}
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
        void attempt(props.work)
      }}
    >
      {props.children}
    </form>
  )
}
