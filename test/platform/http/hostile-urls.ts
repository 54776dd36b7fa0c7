/** Names of hosts that look public, and what they resolve to. */
export const HOSTILE_NAMES = new Map<string, string[]>([
  ['loopback.example.com', ['127.0.0.1']],
  ['loopback6.example.com', ['::1']],
  ['mixed.example.com', ['93.184.215.14', '10.0.0.1']],
  ['mixed6.example.com', ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', 'fd00::1']],
  ['last-of-many.example.com', [...Array(20).fill('93.184.215.14'), '192.168.0.1']],
  ['metadata.example.com', ['169.254.169.254']],
  ['mapped.example.com', ['::ffff:10.0.0.1']],
  ['zone.example.com', ['fe80::1%eth0']],
  ['unspecified.example.com', ['0.0.0.0']],
  ['platform.example.com', ['168.63.129.16']],
  ['garbage.example.com', ['not an address']],
  ['nothing.example.com', []],
  ['127.0.0.1.nip.io', ['127.0.0.1']],
  ['7f000001.nip.io', ['127.0.0.1']],
  ['localtest.me', ['127.0.0.1', '::1']],
  ['xn--80ak6aa92e.com', ['10.1.2.3']],
  // What a resolver inside of a network may well say, and would be believed by address.
  ['metadata.google.internal', ['93.184.215.14']],
  ['localhost', ['93.184.215.14']],
  ['printer.local', ['93.184.215.14']],
  ['a.localhost', ['93.184.215.14']],
  ['metadata', ['93.184.215.14']],
])

const IPV4 = [
  // Loopback in other spellings, this network, the broadcast.
  ...[
    '127.0.0.1',
    '127.255.255.254',
    '127.1',
    '2130706433',
    '017700000001',
    '0x7f.1',
    '0177.0.0.1',
  ],
  ...[
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '127%E3%80%820.0.1',
    '①②⑦.⓪.⓪.①',
    '0',
    '0.1.2.3',
    '4294967295',
  ],
  // Private networks, link-local and metadata.
  ...['10.0.0.1', '167772161', '172.16.0.1', '172.31.255.255', '192.168.0.1', '0300.0250.0.1'],
  ...['169.254.0.1', '169.254.169.254', '2852039166', '168.63.129.16', '192.0.0.192'],
  // Carrier-grade NAT, multicast, reserved, documentation, benchmarks, the 6to4 relay.
  ...['100.64.0.1', '100.127.255.255', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.1'],
  ...['198.51.100.1', '203.0.113.1', '198.18.0.1', '192.88.99.1'],
  // No addresses at all.
  ...['256.0.0.1', '1.2.3.4.5', '0x100000000', '08.0.0.1'],
]

const IPV6 = [
  ...['::', '::1', '0:0:0:0:0:0:0:1', '::2'],
  // Mapped, compatible, translated, 6to4 and Teredo.
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::10.0.0.1'],
  ...['2002:7f00:1::1', '2001:0:7f00:1::'],
  // Link-local, site-local, unique local, multicast.
  ...['fe80::1', 'febf::1', 'fe80::1%25eth0', 'fec0::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1'],
  // Documentation, discard, and what was never assigned.
  ...['2001:db8::1', '3fff::1', '2001:2::1', '100::1', '5f00::1', '4000::1'],
  ...['1:2:3:4:5:6:7', '', '127.0.0.1'],
].map((address) => `[${address}]`)

const NAMES = [
  ...HOSTILE_NAMES.keys(),
  ...['unknown.example.com', 'localhost.', 'LocalHost.', 'localhost%00', 'ⓛocalhost', 'intranet'],
  ...['metadata.google.internal.', 'kubernetes.default.svc', 'postgres.internal', 'nas.lan'],
  ...['x.onion', 'x.test', 'host.docker.internal', 'a..b.com', '-a.example.com', 'exa mple.com'],
  `${'a'.repeat(64)}.example.com`,
]

const WHOLE = [
  // Other schemes, and none.
  ...['', 'hooks.example.com', '//hooks.example.com/', 'ftp://hooks.example.com/'],
  ...['file:///etc/passwd', 'javascript:alert(1)', 'https:hooks.example.com', 'https://'],
  ...['http:\\\\hooks.example.com\\', 'https://:443/', 'unix:/run/docker.sock'],
  // Users and passwords, and what only looks like the host.
  ...['https://user:word@hooks.example.com/', 'https://@hooks.example.com/'],
  ...['https://hooks.example.com@127.0.0.1/', 'https://hooks.example.com\\@127.0.0.1/'],
  ...['http://127.0.0.1#@hooks.example.com/', 'http://127.0.0.1\\hooks.example.com'],
  // Ports of what does not speak HTTP, of what obeys every caller, and no ports.
  ...[0, 22, 25, 53, 3306, 5432, 6379, 2375, 2379, 9200, 27_017, 65_536, '-1', '8e1'].map(
    (port) => `http://hooks.example.com:${port}/`,
  ),
  // Control characters, spaces, other alphabets, two in one header.
  ...['https://hooks.example.com/a b', 'https://hooks.example.com/\u0001', 'https://пример.рф/'],
  'https://hooks.example.com/, https://hooks.example.com/',
]

/** URLs that must be refused, each a way that some guard was passed, or a plain mistake. */
export const HOSTILE_URLS = [
  ...new Set([
    ...[...IPV4, ...NAMES].map((host) => `http://${host}/hook`),
    ...IPV6.map((host) => `https://${host}:8443/hook`),
    ...WHOLE,
  ]),
]
