const en = {
  status: { insider: 'Has access', outsider: 'No access', blocked: 'Blocked' },
  asks: 'Asks for access',
  refused: 'Declined',
  roles: { admin: 'Admin', viewer: 'Viewer', none: 'No role' },
  role: 'Role',
  roleHint: {
    admin: 'Can change everything here.',
    viewer: 'Can see everything here but change nothing.',
    none: 'Can’t open this page.',
  },
  fixed: 'Set in ADMIN_IDS or VIEWER_IDS; it can’t be changed here.',
  allow: 'Allow',
  refuse: 'Decline',
  block: 'Block',
  blockSure: (name: string) => `Block ${name}? The bot will stop answering them.`,
  none: 'No users yet',
  noneHint: 'Users show here once they write to the bot.',
}

const ru: typeof en = {
  status: { insider: 'Доступ есть', outsider: 'Без доступа', blocked: 'Заблокирован' },
  asks: 'Запросил доступ',
  refused: 'Отклонён',
  roles: { admin: 'Администратор', viewer: 'Наблюдатель', none: 'Без роли' },
  role: 'Роль',
  roleHint: {
    admin: 'Может менять здесь всё.',
    viewer: 'Может всё смотреть, но не менять.',
    none: 'Не может открыть эту страницу.',
  },
  fixed: 'Задано в ADMIN_IDS или VIEWER_IDS, здесь не меняется.',
  allow: 'Дать доступ',
  refuse: 'Отклонить',
  block: 'Заблокировать',
  blockSure: (name) => `Заблокировать ${name}? Бот перестанет отвечать этому пользователю.`,
  none: 'Пользователей пока нет',
  noneHint: 'Здесь появятся те, кто напишет боту.',
}

/** Words of access and roles. */
export const accessWords = { en, ru }
