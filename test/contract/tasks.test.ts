import { expect, test } from 'vitest'
import { findVideoProblems, signCallback, videoLabel } from '../../src/contract/tasks.ts'

test.each([
  [{}, 'vidgen-720p-5s'],
  [{ duration: 10 }, 'vidgen-720p-10s'],
  [{ quality: '1080p' }, 'vidgen-1080p-5s'],
] as const)('videoLabel(%j) fills in the defaults', (request, label) => {
  expect(videoLabel(request)).toBe(label)
})

test('findVideoProblems() finds nothing wrong with a video from text or from an image', () => {
  expect(findVideoProblems({ prompt: 'a', aspect_ratio: '720:1280', duration: 10 })).toEqual([])
  expect(findVideoProblems({ prompt: 'a', image_url: 'https://example.com/a.png' })).toEqual([])
})

test('findVideoProblems() names every field that does not fit the others', () => {
  const problems = findVideoProblems({ prompt: 'a', quality: '1080p', duration: 10 })

  expect(problems.map(({ loc }) => loc.join('.'))).toEqual(['body.quality', 'body.aspect_ratio'])
})

test.each(['', 'picture.png', 'ftp://example.com/a.png', 'file:///etc/passwd', 'javascript:1'])(
  'findVideoProblems() refuses the image_url %j',
  (image_url) => {
    expect(findVideoProblems({ prompt: 'a', image_url })).toEqual([
      { loc: ['body', 'image_url'], msg: 'must be an http or https URL' },
    ])
  },
)

test('signCallback() makes what openssl dgst -sha256 -hmac makes of "<timestamp>.<body>"', () => {
  const headers = signCallback({ secret: 'key', timestamp: '1', body: Buffer.from('{}') })

  expect(headers).toEqual({
    'x-callback-timestamp': '1',
    'x-callback-signature':
      'sha256=1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224',
  })
})
