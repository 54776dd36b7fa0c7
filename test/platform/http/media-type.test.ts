import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import {
  readImageSize,
  recogniseMedia,
  recogniseStream,
  toContentType,
} from '../../../src/platform/http/media-type.ts'

const bytesOf = (text: string) => Buffer.from(text, 'latin1')

test.each([
  ['\0\0\0\x18ftypisom\0\0\x02\0', 'video', 'mp4'],
  ['\0\0\0\x1cftypmp42', 'video', 'mp4'],
  ['\0\0\0\x14ftypqt  ', 'video', 'mov'],
  ['\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\x82\x84webm', 'video', 'webm'],
  ['\x89PNG\r\n\x1a\n', 'image', 'png'],
  ['\xff\xd8\xff\xe0\0\x10JFIF', 'image', 'jpg'],
  ['GIF89a', 'image', 'gif'],
  ['RIFF\x24\0\0\0WEBPVP8 ', 'image', 'webp'],
  ['\0\0\0\x20ftypavif', 'image', 'avif'],
  ['RIFF\x24\0\0\0WAVEfmt ', 'sound', 'wav'],
  ['ID3\x04\0', 'sound', 'mp3'],
  ['\xff\xfb\x90\x64', 'sound', 'mp3'],
  ['OggS\0\x02', 'sound', 'ogg'],
  ['fLaC\0\0\0\x22', 'sound', 'flac'],
  ['\xff\xf1\x50\x80', 'sound', 'aac'],
  ['\0\0\0\x20ftypM4A ', 'sound', 'm4a'],
])('%j is a %s: %s', (head, media, extension) => {
  const type = recogniseMedia(bytesOf(`${head}${'\0'.repeat(100)}`))

  expect(type).toMatchObject({ media, extension })
  expect(toContentType(`name.${extension}`)).toBe(type?.contentType)
})

test.each([
  ...['', '<!doctype html><html>', '<svg xmlns="http://www.w3.org/2000/svg">', '{"error": 1}'],
  ...['%PDF-1.7', 'PK\x03\x04', '\x7fELF', '#!/bin/sh', 'ftypisom', 'the frames of a video'],
  // HEIF and Matroska share their boxes with what is kept.
  ...['\0\0\0\x18ftypheic', '\0\0\0\x18ftypmif1', '\x1aE\xdf\xa3\x93B\x82\x88matroska'],
])('%j is nothing that is kept', (head) => {
  expect(recogniseMedia(bytesOf(head))).toBeUndefined()
})

test('a video is recognised by its own bytes, however they are cut', async () => {
  const video = await readFile('src/service/providers/demo/1280x720-5s.mp4')
  async function* cut() {
    for (let at = 0; at < 100; at += 1) yield video.subarray(at, at + 1)
    yield video.subarray(100)
  }

  const { type, bytes } = await recogniseStream(cut())

  expect(type?.extension).toBe('mp4')
  expect(Buffer.concat(await Array.fromAsync(bytes)).equals(video)).toBe(true)
})

// As the formats have them, for a picture of 300 × 200 pixels.
const PNG = '89504e470d0a1a0a0000000d494844520000012c000000c8'
const JPEG = 'ffd8ffe000104a46494600010101004800480000ffc0001108 00c8 012c 03'
const WEBP_LOSSY = '52494646 00000000 57454250 56503820 00000000 300600 9d012a 2c01 c800 0000'
const WEBP_LOSSLESS = '52494646 00000000 57454250 5650384c 00000000 2f 2bc13100 0000000000'
const WEBP_EXTENDED = '52494646 00000000 57454250 56503858 0a000000 10000000 2b0100 c70000'

test.each([
  ['PNG', PNG],
  ['JPEG', JPEG],
  ['lossy WebP', WEBP_LOSSY],
  ['lossless WebP', WEBP_LOSSLESS],
  ['extended WebP', WEBP_EXTENDED],
])('readImageSize() reads the head of a %s', (_, hex) => {
  expect(readImageSize(toBytes(hex))).toEqual({ width: 300, height: 200 })
})

function toBytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}
