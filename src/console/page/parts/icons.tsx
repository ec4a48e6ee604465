const PATHS = {
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  clock: 'M8 4.5V8l2.5 1.8M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8',
  minus: 'M3.5 8h9',
  play: 'M5 3.2v9.6L12.5 8z',
}

/** A small picture beside a text that says the same. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}

export interface StateLook {
  readonly label: string
  readonly tone: 'ok' | 'bad' | 'warn' | 'soft' | 'accent'
  readonly icon: keyof typeof PATHS
}

export function Chip({ label, tone, icon }: StateLook) {
  return (
    <span class={`chip tone-${tone}`}>
      <Icon name={icon} />
      {label}
    </span>
  )
}
