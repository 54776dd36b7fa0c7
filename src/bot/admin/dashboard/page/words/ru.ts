import { countIn } from '../../../../../platform/page/plural.ts'
import { accessWords } from './access.ts'
import { changesWords } from './changes.ts'
import { checkWords } from './check.ts'
import type { Words } from './en.ts'
import { limitsWords } from './limits.ts'
import { signInWords } from './sign-in.ts'
import { spendWords } from './spend.ts'

const count = countIn('ru')

/** Everything the page says, in Russian. */
export const ru: Words = {
  name: 'Русский',
  skip: 'Перейти к содержанию',
  menu: 'Разделы',
  back: 'Назад',
  live: 'Сейчас',
  viewer: 'Вы можете всё смотреть, но не менять: ваша роль — наблюдатель.',
  language: 'Язык',
  signOut: 'Выйти',
  signedInAs: 'Вы вошли как',
  loading: 'Загрузка…',
  retry: 'Повторить',
  cancel: 'Отмена',
  save: 'Сохранить',
  saving: 'Сохраняю…',
  saved: 'Сохранено',
  edit: 'Изменить',
  all: 'Все',
  none: 'Нет',
  search: 'Поиск',
  searchHint: 'Имя, @username или id',
  clearSearch: 'Очистить поиск',
  previous: 'Назад',
  next: 'Дальше',
  more: 'Показать ещё',
  pageOf: (from, to, total) => `${from}–${to} из ${total}`,
  erased: 'Удалённый пользователь',
  group: 'Группа',
  id: 'id',
  timeZone: (zone) => `Дни и месяцы по ${zone}`,

  sections: {
    spend: 'Расходы',
    users: 'Пользователи',
    check: 'Сверка',
    limits: 'Лимиты',
    access: 'Доступ',
    alerts: 'Оповещения',
    changes: 'Изменения',
    more: 'Ещё',
  },

  kinds: {
    answer: 'Ответы',
    retry: 'Повторы',
    summary: 'Пересказы',
    video: 'Ролики',
    image: 'Картинки',
    sound: 'Звуки',
  },
  oneOfKind: {
    answer: 'Ответ',
    retry: 'Повтор',
    summary: 'Пересказ',
    video: 'Ролик',
    image: 'Картинка',
    sound: 'Звук',
  },
  spans: { today: 'Сегодня', '7d': '7 дней', '30d': '30 дней', month: 'Месяц', all: 'Всё' },
  spanLabel: 'Время',
  periods: { day: 'В день', week: 'В неделю', month: 'В месяц', all: 'Всего' },

  spend: spendWords.ru,
  now: {
    title: 'Сейчас',
    today: 'Сегодня',
    reserved: 'В работе',
    leftOf: { account: 'Баланс', limit: 'Остаток лимита на месяц', nothing: 'Лимит на месяц' },
    unknown: 'неизвестен',
    noLimit: 'не задан',
  },

  users: {
    none: 'Пока никто ничего не потратил',
    noneFound: (search) => `По запросу «${search}» никого нет`,
    noneHint: 'Попробуйте часть имени, @username или id.',
    found: (n) => count(n, { one: 'пользователь', few: 'пользователя', other: 'пользователей' }),
  },
  user: {
    inOverview: 'Показать в обзоре',
    lastOrders: 'Последние заказы',
    noOrders: 'Заказов пока нет',
    free: 'не списано',
    limits: 'Лимиты',
    access: 'Доступ и роль',
  },
  orderStates: {
    placed: 'в очереди',
    waiting: 'ждёт других заказов',
    submitted: 'отправляется в сервис',
    generating: 'создаётся',
    ready: 'отправляется пользователю',
    delivered: 'доставлен',
    failed: 'не получился',
    cancelled: 'отменён',
  },

  limits: limitsWords.ru,
  access: accessWords.ru,

  alerts: {
    hint: 'Приходят администраторам в Telegram, каждое не чаще раза в час.',
    balanceBelow: 'Баланс ниже',
    balanceHint: 'В рублях. Пусто — выключено.',
    daysLeft: 'Баланса хватит меньше чем на, дней',
    daysHint: 'По расходу за последние 7 дней. Пусто — выключено.',
    unusual: 'Расход пользователя за день больше обычного, раз',
    unusualHint: 'Например, 3. Пусто — выключено.',
    failures: 'Сбои сервиса',
    digest: 'Ежедневная сводка',
    noDigest: 'Без сводки',
  },

  check: checkWords.ru,
  changes: changesWords.ru,
  signIn: signInWords.ru,

  problems: {
    offline: 'Нет связи. Проверьте сеть и повторите: всё введённое останется.',
    session: 'Сессия закончилась: что делать, сказано наверху.',
    forbidden: 'Здесь вы ничего не можете менять: ваша роль — наблюдатель.',
    missing: 'Такого пользователя нет.',
    missingPage: 'Такой страницы нет.',
    conflict: 'Сейчас это невозможно. Обновите страницу и повторите.',
    invalid: 'Сервер не принимает это значение.',
    busy: (seconds) =>
      `Слишком много запросов. Повторите через ${count(seconds, { one: 'секунду', few: 'секунды', other: 'секунд' })}.`,
    broken: 'На сервере что-то пошло не так. Повторите; если не поможет, причина — в журнале.',
    amountMalformed: 'Укажите сумму, например 50 или 2,50.',
    amountNegative: 'Сумма не может быть меньше нуля.',
    amountHuge: 'Не больше 1 000 000 000 рублей.',
    numberMalformed: (min, max) => `Укажите целое число от ${min} до ${max}.`,
    idMalformed: 'Укажите id: целое число, у группы отрицательное.',
  },
}
