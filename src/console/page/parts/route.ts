import { signal } from '@preact/signals'

/** Where the user is: `#/deliveries/42`. */
export interface Route {
  readonly view: string
  readonly id: string | undefined
}

export const route = signal<Route>(readRoute())

addEventListener('hashchange', () => {
  route.value = readRoute()
})

/** Goes to a view, and to one thing in it. */
export function go(view: string, id?: string): void {
  const hash = `#/${view}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
  if (location.hash !== hash) location.hash = hash
  // The hashchange event comes later.
  route.value = { view, id }
}

function readRoute(): Route {
  const [, view = '', id] = location.hash.split('/')
  return { view, id: id ? decode(id) : undefined }
}

/** What was typed into the address bar need not be well-formed. */
function decode(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
