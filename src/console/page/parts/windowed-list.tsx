import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { set } from './fields.tsx'

const ROW_PX = 52
/** Rows rendered above and below the visible ones. */
const SPARE = 8

interface ListProps {
  label: string
  ids: readonly string[]
  row: (id: string) => ComponentChildren
  selected: string | undefined
  onSelect: (id: string) => void
  /** Called for Enter and a click, not for moving with the arrow keys. */
  onOpen: () => void
  onEnd?: (() => void) | undefined
}

/**
 * A list of any length that only renders the visible rows. It keeps its scroll position when rows are
 * added at the top.
 */
export function WindowedList(props: ListProps) {
  const { ids, selected } = props
  const { list, top, height, onScroll } = useWindow(props)
  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE)
  const shown = ids.slice(first, first + Math.ceil(height / ROW_PX) + 2 * SPARE)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && selected !== undefined) props.onOpen()
    const at = ids.indexOf(selected ?? '')
    const page = Math.floor(height / ROW_PX) - 1
    const target = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: ids.length - 1,
    }[event.key]
    if (target === undefined || ids.length === 0) return
    event.preventDefault()
    const index = Math.max(0, Math.min(ids.length - 1, target))
    props.onSelect(ids[index] ?? '')
    if (list.current) scrollTo(list.current, index)
  }
  return (
    <div
      ref={list}
      class="list"
      id="list"
      role="listbox"
      aria-label={props.label}
      aria-activedescendant={
        selected !== undefined && shown.includes(selected) ? `row-${selected}` : undefined
      }
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: `${ids.length * ROW_PX}px` }}>
        {shown.map((id, offset) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus and the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and the keys.
          <div
            key={id}
            id={`row-${id}`}
            class="item"
            role="option"
            aria-selected={id === selected}
            aria-setsize={ids.length}
            aria-posinset={first + offset + 1}
            style={{ height: `${ROW_PX}px`, transform: `translateY(${(first + offset) * ROW_PX}px)` }}
            onClick={() => {
              props.onSelect(id)
              props.onOpen()
            }}
          >
            {props.row(id)}
          </div>
        ))}
      </div>
    </div>
  )
}

function useWindow({ ids, onEnd }: ListProps) {
  const list = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const height = useSignal(600)
  const anchor = useRef<string | undefined>(undefined)

  useLayoutEffect(() => {
    const { current } = list
    if (!current) return
    const observer = new ResizeObserver(() => set(height, current.clientHeight))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])

  // Keeps the visible rows in place.
  useLayoutEffect(() => {
    const { current } = list
    if (!current || anchor.current === undefined || current.scrollTop === 0) return
    const moved = ids.indexOf(anchor.current) - Math.floor(top.value / ROW_PX)
    if (moved > 0) current.scrollTop += moved * ROW_PX
  }, [ids.length])

  const onScroll = ({ currentTarget }: { currentTarget: HTMLDivElement }) => {
    const { scrollTop, clientHeight, scrollHeight } = currentTarget
    top.value = scrollTop
    anchor.current = scrollTop < ROW_PX ? undefined : ids[Math.floor(scrollTop / ROW_PX)]
    if (scrollTop + clientHeight > scrollHeight - 20 * ROW_PX) onEnd?.()
  }
  return { list, top: top.value, height: height.value, onScroll }
}

function scrollTo(list: HTMLElement, index: number): void {
  const [start, end] = [index * ROW_PX, (index + 1) * ROW_PX]
  if (start < list.scrollTop) list.scrollTop = start
  else if (end > list.scrollTop + list.clientHeight) list.scrollTop = end - list.clientHeight
}
