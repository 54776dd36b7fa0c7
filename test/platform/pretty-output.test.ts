import { expect, test } from 'vitest'
import { createLog, createPrettyOutput } from '../../src/platform/log.ts'

const MARKER = 'kvass-7f3a'

test('a line for people has its time, its level, what happened and what it is about', async () => {
  const written = await write((log) =>
    log.info({ address: 'http://127.0.0.1:3000', roles: ['bot', 'service'], instance: 7 }, 'ready'),
  )

  expect(written).toMatch(
    /^\d\d:\d\d:\d\d INFO: ready {"address":"http:\/\/127\.0\.0\.1:3000","roles":\["bot","service"\],"instance":7}\n$/,
  )
})

test('a field that does not belong in the log is hidden in a line for people as well', async () => {
  const written = await write((log) =>
    log.warn(
      { prompt: MARKER, request: { headers: { authorization: MARKER } }, taskId: 7 },
      'asked',
    ),
  )

  expect(written).not.toContain(MARKER)
  expect(written).toContain('"prompt":"[hidden]"')
  expect(written).toContain('"taskId":7')
})

test('a text of somebody else commands no terminal', async () => {
  const foreign = `a\u001b[2J\u009b31m\nb\u202e`

  const written = await write((log) => log.warn({ foreign, list: [foreign] }, foreign))

  expect(written.trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(written).toContain(String.raw`a\u001b[2J\u009b31m`)
})

async function write(use: (log: ReturnType<typeof createLog>) => void): Promise<string> {
  const lines: string[] = []
  const output = { write: (line: string) => void lines.push(line) }
  use(createLog('info', await createPrettyOutput(output, { colorize: false })))
  return lines.join('')
}
