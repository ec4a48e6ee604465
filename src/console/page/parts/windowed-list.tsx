import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

const ROW_PX = 52
/** Rows rendered above and below the visible ones. */
const SPARE = 8
/** Upper limit, also for a tall window. */
const MOST_ROWS = 150

/**
 * A list of any length that only renders the visible rows. It keeps its scroll position when rows are
 * added at the top.
 */
export function WindowedList(props: {
  label: string
  ids: readonly string[]
  /** The index of a row, or -1. */
  indexOf: (id: string) => number
  row: (id: string) => ComponentChildren
  selected: string | undefined
  onSelect: (id: string) => void
  /** Called for Enter and a click, not for moving with the arrow keys. */
  onOpen: (id: string) => void
  /** Called when the end of the list becomes visible. */
  onEnd?: () => void
}) {
  const { ids, indexOf, selected } = props
  const count = ids.length
  const idAt = (index: number) => ids[index] ?? ''
  const list = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const height = useSignal(600)
  const anchor = useRef<string | undefined>(undefined)
  const first = Math.max(0, Math.floor(top.value / ROW_PX) - SPARE)
  const shown = Math.min(MOST_ROWS, Math.ceil(height.value / ROW_PX) + 2 * SPARE)
  const last = Math.min(count, first + shown)

  useLayoutEffect(() => {
    const { current } = list
    if (!current) return
    const observer = new ResizeObserver(() => {
      height.value = current.clientHeight
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])

  // Keeps the visible rows in place.
  useLayoutEffect(() => {
    const { current } = list
    if (!current || anchor.current === undefined || current.scrollTop === 0) return
    const moved = indexOf(anchor.current) - Math.floor(top.value / ROW_PX)
    if (moved > 0) current.scrollTop += moved * ROW_PX
  }, [count])

  function onScroll(): void {
    const { current } = list
    if (!current) return
    top.value = current.scrollTop
    const index = Math.floor(current.scrollTop / ROW_PX)
    anchor.current = index > 0 && index < count ? idAt(index) : undefined
    if (current.scrollTop + current.clientHeight > current.scrollHeight - 20 * ROW_PX) props.onEnd?.()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter' && selected !== undefined) props.onOpen(selected)
    const at = selected === undefined ? -1 : indexOf(selected)
    const page = Math.floor(height.value / ROW_PX) - 1
    const target = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: count - 1,
    }[event.key]
    if (target === undefined || count === 0) return
    event.preventDefault()
    const index = Math.max(0, Math.min(count - 1, target))
    props.onSelect(idAt(index))
    scrollTo(index)
  }

  function scrollTo(index: number): void {
    const { current } = list
    if (!current) return
    const [start, end] = [index * ROW_PX, (index + 1) * ROW_PX]
    if (start < current.scrollTop) current.scrollTop = start
    else if (end > current.scrollTop + current.clientHeight) current.scrollTop = end - current.clientHeight
  }

  const rows = []
  for (let index = first; index < last; index++) {
    const id = idAt(index)
    rows.push(
      // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus and the keys.
      // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and the keys.
      <div
        key={id}
        id={`row-${id}`}
        class="item"
        role="option"
        aria-selected={id === selected}
        aria-setsize={count}
        aria-posinset={index + 1}
        style={{ height: `${ROW_PX}px`, transform: `translateY(${index * ROW_PX}px)` }}
        onClick={() => {
          props.onSelect(id)
          props.onOpen(id)
        }}
      >
        {props.row(id)}
      </div>,
    )
  }
  const at = selected === undefined ? -1 : indexOf(selected)
  return (
    <div
      ref={list}
      class="list"
      id="list"
      role="listbox"
      aria-label={props.label}
      aria-activedescendant={at >= first && at < last ? `row-${selected}` : undefined}
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: `${count * ROW_PX}px` }}>
        {rows}
      </div>
    </div>
  )
}
