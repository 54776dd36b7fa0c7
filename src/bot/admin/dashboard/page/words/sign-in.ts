const en = {
  starting: 'Signing in…',
  title: 'Sign in',
  how: 'Send /dashboard to the bot: it answers with a link that opens this page once. In Telegram, the button beside the message field opens it too.',
  ended: 'Your session has ended',
  endedHint:
    'Send /dashboard to the bot and open the link in this browser: this page stays where it is and keeps what you typed.',
  endedTelegram: 'Close this page and open it again from the chat with the bot.',
  signedOut: 'You signed out',
  errors: {
    link_used: 'This link has been used. Each link opens the page once.',
    link_expired: 'This link has expired.',
    link_unknown: 'This link isn’t valid.',
    init_data_invalid: 'Telegram couldn’t confirm who you are. Close the page and open it again.',
    init_data_expired:
      'Telegram’s confirmation of who you are has expired. Close the page and open it again.',
    init_data_used:
      'Telegram’s confirmation of who you are has been used. Close the page and open it again.',
    no_role: 'This page is for admins and viewers. Ask an admin for a role.',
  },
}

const ru: typeof en = {
  starting: 'Вход…',
  title: 'Вход',
  how: 'Напишите боту /dashboard: он ответит ссылкой, которая откроет эту страницу один раз. В Telegram её открывает и кнопка рядом с полем сообщения.',
  ended: 'Сессия закончилась',
  endedHint:
    'Напишите боту /dashboard и откройте ссылку в этом же браузере: страница и всё введённое останутся на месте.',
  endedTelegram: 'Закройте страницу и откройте её снова из чата с ботом.',
  signedOut: 'Вы вышли',
  errors: {
    link_used: 'Эта ссылка уже использована: каждая открывает страницу один раз.',
    link_expired: 'Эта ссылка устарела.',
    link_unknown: 'Эта ссылка недействительна.',
    init_data_invalid: 'Telegram не подтвердил, кто вы. Закройте страницу и откройте снова.',
    init_data_expired:
      'Подтверждение Telegram, кто вы, устарело. Закройте страницу и откройте снова.',
    init_data_used:
      'Подтверждение Telegram, кто вы, уже использовано. Закройте страницу и откройте снова.',
    no_role: 'Эта страница для администраторов и наблюдателей. Попросите роль у администратора.',
  },
}

/** Words of signing in. */
export const signInWords = { en, ru }
