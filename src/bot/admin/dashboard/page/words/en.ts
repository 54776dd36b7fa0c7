import { countIn } from '../../../../../platform/page/plural.ts'
import { accessWords } from './access.ts'
import { changesWords } from './changes.ts'
import { checkWords } from './check.ts'
import { limitsWords } from './limits.ts'
import { signInWords } from './sign-in.ts'
import { spendWords } from './spend.ts'

const count = countIn('en')

/** Everything the page says, in English. Its shape is that of every language; what one view says is in a file of both. */
export const en = {
  name: 'English',
  skip: 'Skip to the content',
  menu: 'Sections',
  back: 'Back',
  live: 'Live',
  viewer: 'You can see everything here but change nothing: your role is viewer.',
  language: 'Language',
  signOut: 'Sign out',
  signedInAs: 'Signed in as',
  loading: 'Loading…',
  retry: 'Try again',
  cancel: 'Cancel',
  save: 'Save',
  saving: 'Saving…',
  saved: 'Saved',
  edit: 'Change',
  all: 'All',
  none: 'None',
  search: 'Search',
  searchHint: 'Name, @username or id',
  clearSearch: 'Clear the search',
  previous: 'Previous',
  next: 'Next',
  more: 'Show more',
  pageOf: (from: number, to: number, total: number) => `${from}–${to} of ${total}`,
  erased: 'Deleted user',
  group: 'Group',
  id: 'id',
  timeZone: (zone: string) => `Days and months by ${zone}`,

  sections: {
    spend: 'Spend',
    users: 'Users',
    check: 'Check',
    limits: 'Limits',
    access: 'Access',
    alerts: 'Alerts',
    changes: 'Changes',
    more: 'More',
  },

  kinds: {
    answer: 'Answers',
    retry: 'Retries',
    summary: 'Summaries',
    video: 'Clips',
    image: 'Pictures',
    sound: 'Sounds',
  },
  oneOfKind: {
    answer: 'Answer',
    retry: 'Retry',
    summary: 'Summary',
    video: 'Clip',
    image: 'Picture',
    sound: 'Sound',
  },
  spans: { today: 'Today', '7d': '7 days', '30d': '30 days', month: 'Month', all: 'All time' },
  spanLabel: 'Time',
  periods: { day: 'A day', week: 'A week', month: 'A month', all: 'In total' },

  spend: spendWords.en,
  now: {
    title: 'Now',
    today: 'Today',
    reserved: 'In progress',
    leftOf: {
      account: 'Balance',
      limit: 'Left of the month’s limit',
      nothing: 'Limit of the month',
    },
    unknown: 'unknown',
    noLimit: 'none set',
  },

  users: {
    none: 'Nobody has spent anything yet',
    noneFound: (search: string) => `Nobody matches “${search}”`,
    noneHint: 'Try part of a name, an @username or an id.',
    found: (n: number) => count(n, { one: 'user', other: 'users' }),
  },
  user: {
    inOverview: 'See in the overview',
    lastOrders: 'Last orders',
    noOrders: 'No orders yet',
    free: 'not charged',
    limits: 'Limits',
    access: 'Access and role',
  },
  orderStates: {
    placed: 'in the queue',
    waiting: 'waiting for other orders',
    submitted: 'on its way to the service',
    generating: 'being made',
    ready: 'on its way to the user',
    delivered: 'delivered',
    failed: 'failed',
    cancelled: 'cancelled',
  },

  limits: limitsWords.en,
  access: accessWords.en,

  alerts: {
    hint: 'Admins get these in Telegram, each at most once an hour.',
    balanceBelow: 'The balance is below',
    balanceHint: 'In roubles. Empty: off.',
    daysLeft: 'The balance will last less than, days',
    daysHint: 'At the pace of the last 7 days. Empty: off.',
    unusual: 'A user spends more than usual in a day, times',
    unusualHint: 'Such as 3. Empty: off.',
    failures: 'The service fails',
    digest: 'Daily digest',
    noDigest: 'No digest',
  },

  check: checkWords.en,
  changes: changesWords.en,
  signIn: signInWords.en,

  problems: {
    offline: 'No connection. Check the network and try again: what you typed stays.',
    session: 'Your session has ended: see the note at the top.',
    forbidden: 'You can’t change anything here: your role is viewer.',
    missing: 'There is no such user.',
    missingPage: 'There is no such page.',
    conflict: 'This isn’t possible now. Reload the page and try again.',
    invalid: 'The server doesn’t accept this value.',
    busy: (seconds: number) =>
      `Too many requests. Try again in ${count(seconds, { one: 'second', other: 'seconds' })}.`,
    broken:
      'Something went wrong on the server. Try again; if that doesn’t help, the log says why.',
    amountMalformed: 'Write an amount such as 50 or 2.50.',
    amountNegative: 'An amount can’t be below zero.',
    amountHuge: 'At most 1,000,000,000 roubles.',
    numberMalformed: (min: number, max: number) => `Write a whole number from ${min} to ${max}.`,
    idMalformed: 'Write an id: a whole number, negative for a group.',
  },
}

/** The words of one language. */
export type Words = typeof en
