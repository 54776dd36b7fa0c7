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
  // Loopback in every spelling.
  ...[
    '127.0.0.1',
    '127.0.0.2',
    '127.255.255.254',
    '127.1',
    '127.0.1',
    '2130706433',
    '017700000001',
  ],
  ...['0x7f000001', '0x7F.1', '0x7f.0.0.1', '0177.0.0.1', '0177.0.0.01', '0x7f.0x0.0x0.0x1'],
  ...['00000177.0.0.1', '127.0.0.0x1', '127.0x000001', '127.0.0.1.', '127.1.', '127.000.000.001'],
  ...[
    '%31%32%37.0.0.1',
    '127%2e0%2e0%2e1',
    '%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1',
    '127%E3%80%820.0.1',
  ],
  ...['１２７.0.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '127．0．0．1', '𝟏𝟐𝟕.0.0.1'],
  // This network and the broadcast.
  ...[
    '0',
    '0.0.0.0',
    '0.0.0.1',
    '0x0',
    '00',
    '0.1.2.3',
    '255.255.255.255',
    '4294967295',
    '0xffffffff',
  ],
  // Private networks, to their edges.
  ...['10.0.0.0', '10.0.0.1', '10.255.255.255', '012.0.0.1', '0xa.0.0.1', '167772161', '10.1'],
  ...['172.16.0.0', '172.16.0.1', '172.31.255.255', '0254.020.0.1', '2886729729', '172.16.1'],
  ...[
    '192.168.0.0',
    '192.168.0.1',
    '192.168.255.255',
    '0300.0250.0.1',
    '3232235521',
    '192.168.257',
  ],
  // Link-local and metadata.
  ...['169.254.0.1', '169.254.169.254', '169.254.169.253', '169.254.170.2', '169.254.255.255'],
  ...['2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '0xA9.0xFE.0xA9.0xFE'],
  ...['168.63.129.16', '2822734096', '0xa83f8110', '192.0.0.192', '100.100.100.200', '1684301000'],
  // Carrier-grade NAT.
  ...['100.64.0.0', '100.64.0.1', '100.127.255.255', '0144.0100.0.1'],
  // Multicast and reserved.
  ...['224.0.0.1', '239.255.255.250', '224.0.0.251', '240.0.0.1', '254.255.255.255', '0xe0000001'],
  // Documentation, benchmarks, protocol assignments, the 6to4 relay.
  ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '198.19.255.255', '192.0.0.1'],
  ...['192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
  // No addresses at all.
  ...['256.0.0.1', '1.2.3.4.5', '0x100000000', '08.0.0.1', '1.2.3.256', '0xg', '127.0.0.1.5'],
]

const IPV6 = [
  ...['::', '::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', '::0001', '::2'],
  // Mapped, compatible, translated.
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:10.0.0.1', '::ffff:169.254.169.254'],
  ...['::ffff:93.184.215.14', '0:0:0:0:0:ffff:c0a8:1', '::ffff:0:127.0.0.1', '::ffff:0:0'],
  ...['::127.0.0.1', '::10.0.0.1', '::7f00:1', '::169.254.169.254', '::93.184.215.14'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::8.8.8.8'],
  ...['64:ff9b:1::10.0.0.1', '64:ff9b:1:ffff::1'],
  // 6to4 and Teredo.
  ...['2002:7f00:1::1', '2002:a00:1::', '2002:a9fe:a9fe::', '2002:c0a8:1::1', '2002:808:808::1'],
  ...['2001::1', '2001:0:7f00:1::', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  // Link-local, site-local, unique local with its metadata, multicast.
  ...['fe80::1', 'fe80::a9fe:a9fe', 'febf::1', 'fe80::1%25eth0', 'fe80::1%eth0', '::1%25lo'],
  ...['fec0::1', 'feff::1', 'fc00::1', 'fd00::1', 'fd00:ec2::254', 'fd20:ce::254', 'FD00:EC2::254'],
  ...['ff02::1', 'ff0e::1', 'ff05::1:3'],
  // Documentation, benchmarks, identifiers, discard, and what was never assigned.
  ...['2001:db8::1', '3fff::1', '2001:2::1', '2001:10::1', '2001:20::1', '2001:30::1', '100::1'],
  ...['2001:4:112::1', '2620:4f:8000::1', '5f00::1', '4000::1', '1::1', 'e000::1', '8000::1'],
  // No addresses at all.
  ...['1:2:3:4:5:6:7', '::g', '1::2::3', '', '127.0.0.1', '::127.1', '::ffff:0177.0.0.1'],
].map((address) => `[${address}]`)

const NAMES = [
  ...[...HOSTILE_NAMES.keys()],
  ...[
    'unknown.example.com',
    'localhost.',
    'LOCALHOST',
    'LocalHost.',
    'localhost%00',
    'a.b.localhost',
  ],
  ...[
    '%6c%6f%63%61%6c%68%6f%73%74',
    'ⓛocalhost',
    'localhost.localdomain',
    'metadata.google.internal.',
  ],
  ...[
    'intranet',
    'router',
    'db',
    'kubernetes.default.svc',
    'postgres.internal',
    'nas.lan',
    'x.home.arpa',
  ],
  ...['x.onion', 'x.test', 'x.invalid', 'x.example', 'host.docker.internal', 'instance-data'],
  ...['ip6-localhost', 'broadcasthost', 'ip-10-0-0-1.ec2.internal', 'corp', 'x.corp', 'x.home'],
  ...['loopback.example.com.', 'a..b.com', '.example.com', '-a.example.com', 'a-.example.com'],
  ...[`${'a'.repeat(64)}.example.com`, `${'a.'.repeat(130)}com`, 'exa mple.com', 'example.com\t'],
]

const WHOLE = [
  // Other schemes, and none.
  ...[
    '',
    ' ',
    'callback',
    '/hook',
    '//hooks.example.com/',
    'hooks.example.com',
    'ftp://hooks.example.com/',
  ],
  ...[
    'file:///etc/passwd',
    'gopher://hooks.example.com/',
    'javascript:alert(1)',
    'data:text/plain,x',
  ],
  ...['ws://hooks.example.com/', 'https//hooks.example.com', 'https:hooks.example.com'],
  ...['https:/hooks.example.com', 'https:///hooks.example.com', 'http:\\\\hooks.example.com\\'],
  ...[
    'https://',
    'http://?',
    'http://#',
    'http:///',
    'https://:443/',
    'unix:/run/docker.sock',
    'null',
  ],
  ...['HTTPS:\\hooks.example.com', 'view-source:http://hooks.example.com/', 'jar:http://a.com!/'],
  // Users and passwords, and what only looks like the host.
  ...[
    'https://user@hooks.example.com/',
    'https://user:word@hooks.example.com/',
    'https://@hooks.example.com/',
  ],
  ...[
    'https://:@hooks.example.com/',
    'https://hooks.example.com@127.0.0.1/',
    'https://127.0.0.1@hooks.example.com',
  ],
  ...['https://hooks.example.com\\@127.0.0.1/', 'https://hooks.example.com%40127.0.0.1/'],
  ...['https://hooks.example.com:443@127.0.0.1:80/', 'http://127.0.0.1#@hooks.example.com/'],
  ...['http://127.0.0.1?hooks.example.com', 'http://127.0.0.1\\hooks.example.com'],
  // Ports of what does not speak HTTP, and no ports.
  ...[
    0, 1, 21, 22, 23, 25, 53, 110, 111, 135, 143, 389, 445, 465, 587, 636, 993, 1433, 2049, 3306,
  ].map((port) => `http://hooks.example.com:${port}/`),
  ...[3389, 5060, 5432, 5900, 6379, 6667, 11_211, 27_017, 65_536, 99_999].map(
    (port) => `https://hooks.example.com:${port}/`,
  ),
  // Ports of what obeys every caller.
  ...[2181, 2375, 2376, 2379, 4243, 5984, 8500, 9042, 9092, 9200, 10_250, 27_018].map(
    (port) => `http://hooks.example.com:${port}/`,
  ),
  ...[
    'http://hooks.example.com:-1/',
    'http://hooks.example.com:8e1/',
    'http://hooks.example.com:0x50/',
  ],
  // Control characters, spaces, other alphabets, two in one header.
  ...[
    'https://hooks.example.com/a b',
    'https://hooks.example.com/\tb',
    'https://hooks.example.com/\u0001',
  ],
  ...['https://hooks.example.com/\u007f', 'https://пример.рф/', 'https://hooks.example.com/путь'],
  ...['https://hooks.example.com/, https://hooks.example.com/', 'https://hooks.exam\u00adple.com/'],
  // One character too long.
  `https://hooks.example.com/${'a'.repeat(475)}`,
]

/** Callback URLs that must be refused, each a way that some guard was passed, or a plain mistake. */
export const HOSTILE_URLS = [
  ...new Set([
    ...[...IPV4, ...NAMES].map((host) => `http://${host}/hook`),
    ...IPV6.map((host) => `https://${host}:8443/hook`),
    ...WHOLE,
  ]),
]
