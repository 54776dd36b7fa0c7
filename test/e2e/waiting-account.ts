// Asks for a balance again and again, in a thread of its own, until it is told to end; then says how long
// each answer took, in milliseconds. What its parent does meanwhile does not delay it.

import { parentPort, workerData } from 'node:worker_threads'

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
}
parentPort?.postMessage(waits)
