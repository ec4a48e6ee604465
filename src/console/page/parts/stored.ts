import { effect, type Signal, signal } from '@preact/signals'

/** A signal whose value, made of JSON, survives a reload if the browser lets pages store something. */
export function stored<Value>(name: string, initial: Value): Signal<Value> {
  const key = `payhook:${name}`
  const target = signal(initial)
  try {
    target.value = JSON.parse(localStorage.getItem(key) ?? JSON.stringify(initial))
  } catch {}
  effect(() => {
    const text = JSON.stringify(target.value)
    try {
      localStorage.setItem(key, text)
    } catch {}
  })
  return target
}
