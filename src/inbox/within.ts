/** Waits for a promise, but no longer than a time; tells whether it was settled by then. */
export async function within(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs)
  })
  const settled = promise.then(
    () => true,
    () => true,
  )
  return await Promise.race([settled, late]).finally(() => clearTimeout(timer))
}
