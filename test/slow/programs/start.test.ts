import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'

test('a database that is there a moment later is waited for, and that is said', async () => {
  const { hostname, port, href } = new URL(await createTestDatabase())
  const door = createServer((socket) => {
    const isFirst = tries++ === 0
    // Bytes that were not read would turn the end into a reset.
    if (isFirst) return void socket.once('data', () => socket.destroy())
    const onward = connect(Number(port), hostname)
    pipeline(socket, onward, socket, () => {})
  })
  let tries = 0
  onTestFinished(() => void door.close())
  await new Promise<void>((done) => door.listen(0, '127.0.0.1', done))
  const { port: ownPort } = door.address() as AddressInfo
  const DATABASE_URL = Object.assign(new URL(href), { port: ownPort }).href

  const kopeck = await startKopeck({ DATABASE_URL, DATA_DIR: await makeFolder() }, ['service'])

  expect(await kopeck.stop()).toBe(0)
  expect(kopeck.lines.join('\n')).toContain(
    `cannot connect to 127.0.0.1:${ownPort}: Connection terminated unexpectedly; it is tried again for 10 s`,
  )
})
