import { expect, it } from 'vitest'
import { waitFor } from '../contracts/wait-for.ts'
import { openSandbox, receiver } from '../sandbox/open-sandbox.ts'
import { describeInChromium } from './chromium.ts'

describeInChromium('the view that checks a receiver', (open) => {
  it('shows what was found', async () => {
    const sandbox = await openSandbox()
    const { url } = await receiver((response, { genuine }) => response.writeHead(genuine ? 200 : 401).end())
    const page = await open(`${sandbox.url}/#/check`)
    await page.getByLabel('URL of the receiver').fill(url)
    await page.getByRole('button', { name: 'Check the receiver' }).click()
    await page.getByText(/^\d+ of \d+ cases passed$/).waitFor()
    await page.getByText(/A body of 16 megabytes.*got 200/).waitFor()
    await page.getByText('large-id', { exact: true }).waitFor()
  })

  it('offers the registered URL, shows the progress, and stops', async () => {
    const sandbox = await openSandbox()
    const { url, arrivals } = await receiver((response) => void (arrivals.length > 3 || response.end()))
    await fetch(`${sandbox.url}/_sandbox/configurations`, {
      method: 'POST',
      body: JSON.stringify({ event: 'VBA_TRANSACTION', callbackUrl: url }),
    })
    const page = await open(`${sandbox.url}/#/check`)
    await expect.poll(() => page.getByLabel('URL of the receiver').inputValue()).toBe(url)
    await page.getByRole('button', { name: 'Check the receiver' }).click()
    await expect.poll(() => page.getByRole('progressbar').getAttribute('value')).toBe('3')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    expect(arrivals).toHaveLength(4)
  })

  it('stops when the sandbox ends, and keeps the URL', async () => {
    const sandbox = await openSandbox()
    const { url, arrivals } = await receiver(() => {})
    await fetch(`${sandbox.url}/_sandbox/configurations`, {
      method: 'POST',
      body: JSON.stringify({ event: 'VBA_TRANSACTION', callbackUrl: url }),
    })
    const page = await open(`${sandbox.url}/#/check`, 1_440, /ERR_/)
    await expect.poll(() => page.getByLabel('URL of the receiver').inputValue()).toBe(url)
    await page.getByRole('button', { name: 'Check the receiver' }).click()
    await waitFor(() => arrivals.length > 0)
    const { port } = new URL(sandbox.url)
    await sandbox.close()
    await page.getByText('Stopped.').waitFor()
    await openSandbox({ port: Number(port) })
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.getByLabel('URL of the receiver').inputValue()).toBe(url)
    await page.getByRole('button', { name: 'Check the receiver' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
  })

  it('says why it does not start', async () => {
    const sandbox = await openSandbox()
    const page = await open(`${sandbox.url}/#/check`, 360, /400/)
    await page.getByLabel('URL of the receiver').fill('http://192.0.2.1/')
    await page.getByRole('button', { name: 'Check the receiver' }).click()
    await page.getByText('"url" must be on this machine').waitFor()
    await page.getByLabel('URL of the receiver').fill('http://127.0.0.1:9/')
    await page.getByRole('button', { name: 'Check the receiver' }).click()
    await page.getByText('There is no connection').waitFor()
    await page.getByText('The other cases were skipped').waitFor()
  })
})
