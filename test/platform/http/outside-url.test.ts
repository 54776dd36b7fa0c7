import { expect, test } from 'vitest'
import { isPublicUrl, toOwnPairs } from '../../../src/platform/http/outside-url.ts'

test.each([
  ['https://videos.example.com/1.mp4', true],
  ['http://93.184.216.34/1.mp4', true],
  ['http://localhost:3000/1.mp4', false],
  ['http://service:3000/1.mp4', false],
  ['http://service.internal/1.mp4', false],
  ['http://127.0.0.1:3000/1.mp4', false],
  ['http://10.1.2.3/1.mp4', false],
  ['http://[::1]/1.mp4', false],
  ['ftp://videos.example.com/1.mp4', false],
  ['file:///1.mp4', false],
  ['1.mp4', false],
])('%s is public: %s', (url, isPublic) => {
  expect(isPublicUrl(url)).toBe(isPublic)
})

test.each([
  ['https://api.example.com/api/v1', ['api.example.com:443']],
  ['http://10.0.0.7:9001/v1', ['10.0.0.7:9001']],
  ['http://localhost:9001/api/v1', ['localhost:9001', '127.0.0.1:9001', '[::1]:9001']],
  ['http://[::1]:9001', ['localhost:9001', '127.0.0.1:9001', '[::1]:9001']],
])('what is at %s may call itself %j', (url, pairs) => {
  expect(toOwnPairs(url)).toEqual(pairs)
})
