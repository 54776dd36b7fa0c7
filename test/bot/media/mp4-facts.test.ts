import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readMp4Facts } from '../../../src/bot/media/mp4-facts.ts'
import { MP4 } from '../../media-files.ts'

test.each([
  ['1280x720-5s', { width: 1280, height: 720, durationSeconds: 5 }],
  ['720x1280-10s', { width: 720, height: 1280, durationSeconds: 10 }],
  ['1920x1080-5s', { width: 1920, height: 1080, durationSeconds: 5 }],
])('the size and length of a real video are read: %s', async (name, facts) => {
  const bytes = await readFile(`src/service/providers/demo/${name}.mp4`)

  expect(await readMp4Facts(fileOf(bytes))).toEqual(facts)
})

test.each([
  ['no boxes beyond the first', MP4],
  ['a box that says it is smaller than its head', Buffer.from('\0\0\0\x04moov', 'latin1')],
  ['boxes that are cut', moov().subarray(0, 60)],
  ['an hour in seconds of no length', moov({ timescale: 0 })],
])('%s have no size and length', async (_name, bytes) => {
  expect(await readMp4Facts(fileOf(bytes))).toBeUndefined()
})

test('bytes cut anywhere end in an answer', async () => {
  const whole = moov()
  for (let end = 0; end < whole.length; end++) {
    const facts = await readMp4Facts(fileOf(whole.subarray(0, end)))
    expect([undefined, 3]).toContain(facts?.durationSeconds)
  }
})

function fileOf(bytes: Buffer) {
  return {
    bytes: bytes.length,
    readAt: async (position: number, length: number) => bytes.subarray(position, position + length),
  }
}

function moov({ timescale = 1000 } = {}): Buffer {
  const mvhd = Buffer.alloc(100)
  mvhd.writeUInt32BE(timescale, 12)
  mvhd.writeUInt32BE(3_100, 16)
  const tkhd = Buffer.alloc(84)
  tkhd.writeInt32BE(0x10000, 40)
  tkhd.writeUInt32BE(640 << 16, 76)
  tkhd.writeUInt32BE(480 << 16, 80)
  return box('moov', Buffer.concat([box('mvhd', mvhd), box('trak', box('tkhd', tkhd))]))
}

function box(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length, 0)
  head.write(type, 4)
  return Buffer.concat([head, body])
}
