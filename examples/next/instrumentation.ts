/** Next.js calls this once when the server starts. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { getReceiver } = await import('./lib/receiver')
  await getReceiver().start() // from here on the handlers run
}
