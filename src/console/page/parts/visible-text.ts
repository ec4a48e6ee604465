import { options } from 'preact'

/** Characters that reorder what a browser shows: with them, a sender can make "dead" read like another word. */
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Shows such characters in all text of the page as escapes, as the command line does. */
export function escapeReordering(): void {
  const { vnode: next } = options
  options.vnode = (vnode) => {
    // The node of a text. Its props are the text.
    const text: unknown = vnode.props
    if (typeof text === 'string') (vnode as { props: unknown }).props = toVisible(text)
    next?.(vnode)
  }
}

function toVisible(text: string): string {
  return text.replace(
    REORDERING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
