import type { ComponentChildren } from 'preact'

/** Names and values, without those that are empty. */
export function Facts(props: { facts: Readonly<Record<string, ComponentChildren>>; look?: string }) {
  return (
    <dl class={`facts ${props.look ?? ''}`}>
      {Object.entries(props.facts).map(
        ([name, value]) => value && [<dt key={name}>{name}</dt>, <dd key={`${name}:`}>{value}</dd>],
      )}
    </dl>
  )
}
