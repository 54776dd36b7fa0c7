import { expect, test } from 'vitest'
import { parseProxies } from '../../../src/platform/http/proxy-address.ts'

test('parseProxies() reads each proxy of a list, with the port that its scheme has anyway', () => {
  const list =
    'http://a.lan, https://b.lan:8443/,socks5://C.lan ,SOCKS5H://[::1]:9050,http://d.lan:443'

  const read = parseProxies(list)

  expect(read).toMatchObject({
    value: [
      { name: 'http://a.lan:80', protocol: 'http', host: 'a.lan', port: 80 },
      { name: 'https://b.lan:8443', protocol: 'https', host: 'b.lan', port: 8443 },
      { name: 'socks5://c.lan:1080', protocol: 'socks5', host: 'c.lan', port: 1080 },
      { name: 'socks5://[::1]:9050', protocol: 'socks5', host: '::1', port: 9050 },
      { name: 'http://d.lan:443', protocol: 'http', host: 'd.lan', port: 443 },
    ],
  })
})

test('parseProxies() reads user and password, and leaves them out of the name', () => {
  const read = parseProxies('socks5://us%40er:p%2Ca%25s%3Aä@h:1,http://only@h:2,http://:pw@h:3')

  expect(read).toMatchObject({
    value: [
      { name: 'socks5://h:1', credentials: { user: 'us@er', password: 'p,a%s:ä' } },
      { name: 'http://h:2', credentials: { user: 'only', password: '' } },
      { name: 'http://h:3', credentials: { user: '', password: 'pw' } },
    ],
  })
})

const SCHEME = 'should begin with http://, https:// or socks5://'
const HOST = 'should have a host and a port, as in http://user:password@host:3128'
const REST =
  'should have nothing after its port; in a password @ : / ? # , are %40 %3A %2F %3F %23 %2C'

test.each([
  ['', 'should not be empty'],
  ['proxy.lan:3128', SCHEME],
  ['user:pw@proxy.lan:3128', SCHEME],
  ['socks4://proxy.lan', SCHEME],
  ['httph://proxy.lan', SCHEME],
  ['tg://proxy?server=a', SCHEME],
  ['http://', HOST],
  ['http://:3128', HOST],
  ['http:///proxy.lan', HOST],
  ['socks5://user:pw@', HOST],
  ['http://proxy.lan:0', HOST],
  ['http://proxy.lan:99999', HOST],
  ['http://user:p w@proxy.lan:3128', HOST],
  ['http://user:p/w@proxy.lan:3128', HOST],
  ['http://proxy.lan:3128/path', REST],
  ['http://proxy.lan:3128?a', REST],
  ['http://user:p%w@proxy.lan:3128', 'should have % in a password as %25'],
])('parseProxies() refuses "%s" without quoting it', (text, problem) => {
  expect(parseProxies(text)).toEqual({ problems: [problem] })
})
