/** Says how to talk to a bot that has no Telegram. @param root Of the Bot API server that stands in for it. */
export function describePlayground(root: string): string {
  const chat = `${root}/playground/chats/1`
  // curl has had --json only since 7.82, which some systems in use do not have yet.
  const post = "curl -H 'content-type: application/json' -d"
  return `The bot runs without Telegram, because BOT_TOKEN is not set.

  To talk to it in Telegram:    BOT_TOKEN=123456:token-from-BotFather npm start
  To see a conversation played: npm run demo
  To talk to it from here, the playground stands in for Telegram at ${root}

    ${post} '{"text": "Hello"}' ${chat}/messages
    curl ${chat}
    ${post} '{"message_id": 1, "data": "callback_data of a button"}' ${chat}/presses`
}
