// Asks for a balance every few milliseconds, in a thread of its own, until it is asked to end; then reports how long
// each answer took, in milliseconds. What its parent does meanwhile does not delay it.

import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** Short beside the waits that are looked for. */
const PAUSE_MS = 40

const { url, apiKey } = workerData as { url: string; apiKey: string }
const waits: number[] = []
let isOver = false
parentPort?.once('message', () => {
  isOver = true
})

while (!isOver) {
  const askedAt = performance.now()
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
  if (response.status !== 200) throw new Error(`GET ${url} was answered with ${response.status}`)
  await response.text()
  waits.push(performance.now() - askedAt)
  await delay(PAUSE_MS)
}
parentPort?.postMessage(waits)
