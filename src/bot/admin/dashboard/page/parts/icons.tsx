import { createIcon } from '../../../../../platform/page/controls.tsx'

const PATHS = {
  spend: 'M4 19V5M4 19h16M8 15v-4M12.5 15V8M17 15v-6',
  users:
    'M15.5 19v-1.5a3.5 3.5 0 0 0-3.5-3.5H7a3.5 3.5 0 0 0-3.5 3.5V19M9.5 10.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M20.5 19v-1.5a3.5 3.5 0 0 0-2.6-3.4M15.5 4.6a3 3 0 0 1 0 5.8',
  check: 'M12 3.5l7 2.6v5.2c0 4.3-2.9 7.7-7 9.2-4.1-1.5-7-4.9-7-9.2V6.1zM9 11.8l2.2 2.2L15.2 10',
  limits: 'M4 17a8 8 0 1 1 16 0M12 17l3.6-5M12 17.6a.6.6 0 1 0 0-1.2.6.6 0 0 0 0 1.2',
  access:
    'M7 11V8a5 5 0 0 1 10 0v3M6 11h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1M12 15v2',
  alerts: 'M6.5 16.5V11a5.5 5.5 0 0 1 11 0v5.5l1.5 1.5H5zM10 20.5h4',
  changes: 'M12 7.5V12l3 2M4 12a8 8 0 1 0 2.6-5.9L4 8.5M4 4.5v4h4',
  more: 'M5 11v2M12 11v2M19 11v2M4 12h2M11 12h2M18 12h2',
}

export const Icon = createIcon(PATHS)

export type IconName = Parameters<typeof Icon>[0]['name']
