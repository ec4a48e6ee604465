/** A plot of some lines over one horizontal axis, which is logarithmic, as sizes and numbers grow tenfold. */
export interface LinePlot {
  readonly title: string
  readonly horizontal: string
  readonly vertical: string
  readonly lines: readonly Line[]
}

export interface Line {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

const WIDTH = 720
const HEIGHT = 360
const PLOT = { left: 64, right: 520, top: 48, bottom: 300 }
/** Told apart also by those who do not see colors well, and on a dark page. */
const COLORS = ['#0969da', '#bc4c00', '#1a7f37', '#8250df', '#9a6700']

/** Writes the plot as an SVG that follows the color scheme of the page. */
export function toSvg({ title, horizontal, vertical, lines }: LinePlot): string {
  const points = lines.flatMap((line) => line.points)
  const xs = [...new Set(points.map(([x]) => x))].toSorted((a, b) => a - b)
  const [least, most] = [Math.log(xs[0] as number), Math.log(xs.at(-1) as number)]
  const top = roundUp(Math.max(...points.map(([, y]) => y)))
  const toX = (x: number) => PLOT.left + ((Math.log(x) - least) / (most - least)) * (PLOT.right - PLOT.left)
  const toY = (y: number) => PLOT.bottom - (y / top) * (PLOT.bottom - PLOT.top)

  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = toY(share * top).toFixed(1)
    return `<path class="grid" d="M${PLOT.left} ${y}H${PLOT.right}"/>${text(PLOT.left - 8, Number(y) + 4, short(share * top), 'end')}`
  })
  const marks = xs.map((x) => text(toX(x), PLOT.bottom + 20, short(x), 'middle'))
  const drawn = lines.map((line, at) => {
    const color = COLORS[at % COLORS.length]
    const path = line.points.map(([x, y]) => `${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`)
    const dots = path.map((point) => {
      const [x, y] = point.split(' ')
      return `<circle cx="${x}" cy="${y}" r="3.5" fill="${color}"/>`
    })
    const key = PLOT.top + 12 + at * 22
    return [
      `<path fill="none" stroke="${color}" stroke-width="2" d="M${path.join('L')}"/>`,
      ...dots,
      `<path stroke="${color}" stroke-width="3" d="M${PLOT.right + 16} ${key}h18"/>`,
      text(PLOT.right + 40, key + 4, line.name, 'start'),
    ].join('')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(title)}">`,
    '<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.grid{stroke:#d1d9e0}',
    '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.grid{stroke:#3d444d}}</style>',
    `<text x="${PLOT.left}" y="24" style="font-weight:600">${escapeXml(title)}</text>`,
    text(PLOT.left, 42, vertical, 'start'),
    text((PLOT.left + PLOT.right) / 2, HEIGHT - 16, horizontal, 'middle'),
    ...grid,
    ...marks,
    ...drawn,
    '</svg>\n',
  ].join('\n')
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escapeXml(content)}</text>`
}

/** The next of 1, 2, 4, 6, 8 times a power of ten, so that quarters of it are round. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 6, 8].find((factor) => factor * power >= value) ?? 10) * power
}

function short(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`
  if (value >= 1_000) return `${Number((value / 1_000).toFixed(1))}k`
  return String(Number(value.toPrecision(3)))
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
