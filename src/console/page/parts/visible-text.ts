import { options } from 'preact'
import { toEscape } from '../../../json/to-escape.ts'

/** Characters that reorder what a browser shows: with them, a sender can make "dead" read like another word. */
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Shows such characters in all text of the page as escapes, as the command line does. */
export function escapeReordering(): void {
  const { vnode: next } = options
  options.vnode = (vnode) => {
    // The node of a text. Its props are the text.
    const text: unknown = vnode.props
    if (typeof text === 'string') (vnode as { props: unknown }).props = text.replace(REORDERING, toEscape)
    next?.(vnode)
  }
}
