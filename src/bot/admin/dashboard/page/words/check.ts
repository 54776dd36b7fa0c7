import { countIn } from '../../../../../platform/page/plural.ts'

const inEnglish = countIn('en')
const inRussian = countIn('ru')

const en = {
  balance: 'Balance',
  pace: 'Spend a day, last 7 days',
  daysLeft: 'Lasts for',
  days: (n: number) => inEnglish(n, { one: 'day', other: 'days' }),
  forEver: 'no spend',
  overYear: 'more than a year',
  title: 'Charges against the balance',
  between: (from: string, to: string) => `${from} – ${to}`,
  moved: 'The balance went down by',
  charged: 'Users were charged',
  difference: 'Difference',
  exact: 'Everything matches, to a millionth of a rouble.',
  differs:
    'Payments into the account, write-offs, estimates and other users of the key make a difference.',
  unsettled: 'Some requests are in progress, so part of the difference may still even out.',
  noReadings: 'Nothing to compare yet',
  noReadingsHint: 'The bot reads the balance from time to time; a check takes two readings.',
  sums: 'Stored sums against the charges',
  sumsRight: 'Every stored sum matches its charges.',
  sumsWrong: 'Some stored sums don’t match their charges.',
  sumsHint: 'To rebuild them:',
  ofSums: 'Stored',
  ofRows: 'Charges',
  what: 'Sum',
  again: 'Check again',
}

const ru: typeof en = {
  balance: 'Баланс',
  pace: 'Расход в день за последние 7 дней',
  daysLeft: 'Хватит на',
  days: (n) => inRussian(n, { one: 'день', few: 'дня', other: 'дней' }),
  forEver: 'расходов нет',
  overYear: 'больше года',
  title: 'Списания и баланс',
  between: (from, to) => `${from} – ${to}`,
  moved: 'Баланс уменьшился на',
  charged: 'Пользователям записано',
  difference: 'Разница',
  exact: 'Всё сходится до миллионной доли рубля.',
  differs: 'Разницу дают пополнения счёта, убытки, оценки и другие траты по тому же ключу.',
  unsettled: 'Часть запросов ещё в работе, поэтому разница может уменьшиться.',
  noReadings: 'Пока не с чем сверить',
  noReadingsHint: 'Бот время от времени читает баланс; для сверки нужны два чтения.',
  sums: 'Сохранённые суммы и списания',
  sumsRight: 'Каждая сохранённая сумма сходится со списаниями.',
  sumsWrong: 'Некоторые сохранённые суммы не сходятся со списаниями.',
  sumsHint: 'Пересчитать их:',
  ofSums: 'Сохранено',
  ofRows: 'Списания',
  what: 'Сумма',
  again: 'Сверить ещё раз',
}

/** Words of the check of charges and balance. */
export const checkWords = { en, ru }
