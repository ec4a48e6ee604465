import { signal } from '@preact/signals'

/** Where the user is: `#/deliveries/42`. */
export const route = signal(readRoute())

addEventListener('hashchange', () => {
  route.value = readRoute()
})

export function hashOf(view: string, id?: string): string {
  return `#/${view}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

export function go(view: string, id?: string): void {
  const hash = hashOf(view, id)
  if (location.hash !== hash) location.hash = hash
  // The hashchange event comes later.
  route.value = { view, id }
}

/** The same without an entry in the history. */
export function replace(view: string, id: string): void {
  history.replaceState(null, '', hashOf(view, id))
  route.value = { view, id }
}

function readRoute(): { view: string; id: string | undefined } {
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
