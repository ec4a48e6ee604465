/**
 * Replaces a file as a whole, readable by its owner only. A reader sees the old content or the new one, also
 * after a loss of power. Callers take turns.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  const { open, rename, rm, writeFile } = await import('node:fs/promises')
  const { dirname } = await import('node:path')
  const next = `${path}.new`
  // A killed process may have left one. `wx` follows no link that somebody else puts in its place.
  await rm(next, { force: true })
  await writeFile(next, content, { flag: 'wx', mode: 0o600, flush: true })
  await rename(next, path)
  // The new name, too. Not every system can flush a folder.
  const folder = await open(dirname(path)).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}
