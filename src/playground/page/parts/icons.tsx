import { createIcon } from '../../../platform/page/icons.tsx'

const PATHS = {
  more: 'M12 5.5v.01M12 12v.01M12 18.5v.01',
  panel: 'M4.5 5h15v14h-15zM14.5 5v14',
  search: 'M10.5 16.5a6 6 0 1 0 0-12 6 6 0 0 0 0 12M15 15l4.5 4.5',
  send: 'M4.5 12L20 4.5 15.5 20l-3.5-6.5zM12 13.5L20 4.5',
  settings:
    'M12 15.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4M12 3.5v2.3M12 18.2v2.3M3.5 12h2.3M18.2 12h2.3M6 6l1.6 1.6M16.4 16.4L18 18M6 18l1.6-1.6M16.4 7.6L18 6',
  person: 'M12 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M5 19.5a7 7 0 0 1 14 0',
  topic: 'M9 4.5L7 19.5M17 4.5l-2 15M4.5 9.5h15M4 14.5h15',
  addPerson:
    'M10 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M3.5 19.5a6.5 6.5 0 0 1 13 0M18.5 7v5M16 9.5h5',
  group:
    'M9 11.5a3.3 3.3 0 1 0 0-6.6 3.3 3.3 0 0 0 0 6.6M3 19a6 6 0 0 1 12 0M15.5 5.2a3.3 3.3 0 0 1 0 6.1M17.5 13.8A6 6 0 0 1 21 19',
  add: 'M12 5v14M5 12h14',
  again: 'M19 12a7 7 0 1 1-2.2-5.1L19 9M19 4.5V9h-4.5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  down: 'M6 9.5l6 6 6-6',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  share: 'M14 6l5.5 5.5L14 17M19 11.5h-8a6 6 0 0 0-6 6v.5',
  quote: 'M5 6.5h14M5 11h9M5 15.5h6M17.5 14v5M15 16.5h5',
  pin: 'M9 4.5h6l-.8 6 3.3 3.5h-11l3.3-3.5zM12 14v6',
  stop: 'M7.5 7.5h9v9h-9z',
  window: 'M4.5 5.5h15v13h-15zM4.5 9.5h15',
  outside: 'M13.5 5H19v5.5M19 5l-8 8M17 14v5H5V7h5',
  attach:
    'M18.5 11.5l-6.8 6.8a4.2 4.2 0 0 1-6-6L13 5a2.9 2.9 0 0 1 4.1 4.1l-7.2 7.2a1.5 1.5 0 0 1-2.1-2.1l6.6-6.6',
  commands:
    'M5 4.5h14a.5.5 0 0 1 .5.5v14a.5.5 0 0 1-.5.5H5a.5.5 0 0 1-.5-.5V5a.5.5 0 0 1 .5-.5M14 8l-4 8',
  edit: 'M5 19h3.5L19 8.5 15.5 5 5 15.5zM13 7.5l3.5 3.5',
  file: 'M7 3.5h6.5L18 8v12.5H6v-17zM13 4v4.5h5',
  keyboard: 'M4 6.5h16v11H4zM7.5 10h.01M11 10h.01M14.5 10h.01M17 10h.01M8 14h8',
  'newest-first': 'M7 19V5M3.5 8.5L7 5l3.5 3.5M13 7h7.5M13 12h5.5M13 17h3.5',
  'newest-last': 'M7 5v14M3.5 15.5L7 19l3.5-3.5M13 7h3.5M13 12h5.5M13 17h7.5',
  pause: 'M9 6v12M15 6v12',
  play: 'M8 5.5v13L18.5 12z',
  reply: 'M10 6.5L4.5 12l5.5 5.5M4.5 12H14a5.5 5.5 0 0 1 5.5 5.5v1',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 11v5M13.5 11v5',
}

export const Icon = createIcon(PATHS)

export type IconName = Parameters<typeof Icon>[0]['name']
