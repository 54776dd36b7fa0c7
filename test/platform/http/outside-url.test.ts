import { expect, test } from 'vitest'
import { isPublicAddress, isPublicUrl, toOwnPairs } from '../../../src/platform/http/outside-url.ts'

test.each([
  ['https://clips.example.com/1.mp4', true],
  ['http://93.184.216.34/1.mp4', true],
  ['http://[2606:2800:220:1::1]/1.mp4', true],
  ['http://localhost:3000/1.mp4', false],
  ['http://clips.localhost/1.mp4', false],
  ['http://service:3000/1.mp4', false],
  ['http://service.internal/1.mp4', false],
  ['http://127.0.0.1:3000/1.mp4', false],
  ['http://127.1/1.mp4', false],
  ['http://0x7f.1/1.mp4', false],
  ['http://10.1.2.3/1.mp4', false],
  ['http://172.20.0.1/1.mp4', false],
  ['http://192.168.1.1/1.mp4', false],
  ['http://169.254.169.254/1.mp4', false],
  ['http://[::1]/1.mp4', false],
  ['http://[::ffff:127.0.0.1]/1.mp4', false],
  ['http://[fd00::1]/1.mp4', false],
  ['ftp://clips.example.com/1.mp4', false],
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

// The last public address before a range and the first after it; what is inside is in hostile-urls.ts.
test.each([
  ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0'],
  ...[
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
  ],
  ...[
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
  ],
  ...['2000::', '2001:200::', '2001:db7:ffff::', '2001:db9::', '2003::', '2a00:1450::1', '3ffe::1'],
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

test.each(['', 'localhost', '1.2.3', '127.1', '1.2.3.4:80', '[::1]', ' 8.8.8.8', '8.8.8.8/0'])(
  '%j is no address as a resolver writes it',
  (text) => {
    expect(isPublicAddress(text)).toBe(false)
  },
)
