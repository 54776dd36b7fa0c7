## Commands and how they are described in the menu

command-help = что я умею
command-start = приветствие с примерами
command-new = новый разговор
command-model = выбрать модель
command-system = инструкция для модели
command-chats = прежние разговоры
command-history = перечитать этот разговор
command-export = получить этот разговор файлом
command-forget = удалить всё, что я о вас храню
command-costnote = когда показывать цену ответа
command-admin = оповещения и правила заказов
command-stop = остановить ответ
command-retry = ответить на последнее ещё раз
command-usage = сколько потрачено
command-settings = инструкция, язык, цены
command-video = создать ролик
command-image = создать картинку
command-sound = создать звук
command-orders = ваши { $kinds }
command-balance = сколько осталось
command-spend = расходы по пользователям
command-users = кто и когда здесь был
command-stats = сводка работы бота
command-dashboard = расходы и лимиты на странице
command-limit = лимиты расходов
command-access = доступ и роли
command-allow = открыть доступ
command-block = закрыть доступ
command-role = назначить или снять роль
command-language = мой язык
command-format = вид ответов

## What Telegram shows of the bot before anybody writes to it

bot-name = Копейка
bot-short_description = { $everything } в одном чате. На счету каждая копейка.
bot-description = Напишите что угодно, и ответит языковая модель. Пришлите файл и спросите о нём или ответьте на любое сообщение, чтобы спросить именно о нём.
bot-description-media = Ещё я создаю { $kinds }.
bot-description-cost = Сколько потрачено, покажет /usage. В группе упомяните меня.

## Что продаёт сервис

chat-kind = Языковые модели
media-kind = { $kind ->
    [video] ролики
    [image] картинки
   *[sound] звуки
}

## Greeting and help

start = Здравствуйте, { $name }! Напишите что угодно, и ответит языковая модель. Разговор я помню, пока вы не начнёте новый: /new.
start-model = Отвечает модель { $model }, сменить её: /model.
start-price = Отвечает модель { $model }, сменить её: /model. Короткий вопрос вместе с ответом: { $amount }.
start-media = Ещё я создаю { $kinds }: отправьте { $commands } и несколько слов о том, что нужно.
start-help = Всё остальное — в /help.
start-examples = Всё остальное — в /help. Или нажмите на пример:
example-1 = Объясни инфляцию десятилетнему ребёнку
example-2 = Составь план выходных в Казани
example-3 = Напиши вежливый ответ на жалобу
example-asked = Вы спрашиваете: { $question }
example-again = Этот вопрос вы уже задали: ответ ниже. Чтобы спросить ещё раз, напишите его сами.
help = { $place ->
    [group] Упомяните меня или ответьте мне, и ответит модель.
   *[private] Напишите что угодно, и ответит модель.
} Разговор она помнит до /new.
help-hints =
    • Ответьте на сообщение или процитируйте его часть, чтобы спросить именно о нём.
    • Измените вопрос, на который уже есть ответ: появится кнопка, чтобы ответить заново с этого места.
    • Пришлите текстовый файл, PDF или документ Word, а вопрос напишите в подписи.
    • В группе упомяните меня или ответьте мне: ответ придёт под вопросом, а его цена войдёт в расходы того, кто спросил.
    • В чате с темами у каждой темы свой разговор.
help-others = Ещё работают команды:
help-role = { $role ->
    [admin] Для администраторов:
   *[viewer] Расходы:
}
unknown-command = Такой команды я не знаю. Список команд: /help
service-unavailable = Ответа сейчас нет. Попробуйте через минуту.
service-misconfigured = Я настроен неправильно и не могу ответить. Администраторы бота об этом знают.

new-conversation = Новый разговор.
new-conversation-kept = Новый разговор. «{ $title }» сохранён.
new-conversation-instructed = Инструкция осталась: /system
new-conversation-running = Ответ, который сейчас пишется, останется в прежнем разговоре, как и вопросы, которые его ждут.

stop-done = Остановлено.
stop-nothing = Сейчас ничего не пишется.
# Сообщения, которые значат только это, через запятую.
stop-words = стоп, стой, стоп пожалуйста, остановись, остановить, хватит, stop

## Choosing a model

model-choose = Какая модель будет здесь отвечать?
model-line = { $model } · { $amount } за сообщение
model-estimates = { $by ->
    [own] Оценки по вашим последним сообщениям здесь.
   *[short] Оценки для короткого вопроса с ответом.
}
button-token-prices = Цены за миллион токенов
button-message-costs = « Цена сообщения
model-line-tokens = { $model } · { $promptPrice } / { $completionPrice }
model-prices = Цены за миллион токенов: прочитанных / написанных.
model-none = Сейчас нет ни одной модели. Попробуйте позже.
model-chosen = Со следующего сообщения отвечает { $model }.
model-unclear = По «{ $typed }» непонятно, какая модель нужна.
model-gone = Этой модели больше нет. Выберите другую.

## The conversation

system-is = В этом чате модель следует инструкции:
system-none = В этом чате у модели нет инструкции. Выберите или напишите свою: `/system Отвечай стихами`
system-example-1 = Отвечай коротко
system-example-2 = Объясняй простыми словами
system-write = Написать свою
system-write-another = Написать другую
system-ask = { $name }, { system-ask-words }
system-ask-words = какой инструкции модели следовать в этом чате? Отправьте её ответом на это сообщение.
system-ask-hint = Инструкция для модели
system-ask-cancel = Отмена
system-set = Теперь модель следует этой инструкции в этом чате, пока вы её не смените.
system-removed = Инструкция убрана.
system-remove = Убрать инструкцию
system-too-long = Слишком длинная инструкция: { $length ->
    [one] { $length } символ
    [few] { $length } символа
   *[other] { $length } символов
}. Можно не больше { $limit }, сократите её.
chats-title = Ваши разговоры здесь, новые сверху. Нажмите на разговор, чтобы вернуться к нему.
chats-found = Разговоры, где есть «{ $words }». Нажмите на разговор, чтобы вернуться к нему.
chats-found-more = Есть и другие: добавьте слово, чтобы сузить поиск.
chats-line =
    { $number }. { $title }
    { $cost } · { $at }{ $current ->
        [true] {""} · вы здесь
       *[false] {""}
    }
chats-topics = У каждой темы здесь свои разговоры.
chats-none = Разговоров пока нет. Напишите что-нибудь, чтобы начать первый.
chats-not-found = По запросу «{ $words }» ничего не нашлось. Все разговоры: /chats
chats-gone = Этого разговора больше нет.
chat-entered = Вы снова в разговоре «{ $title }».
chat-last-question = Ваш последний вопрос: { $question }
chat-size = Отвечает { $model }; длина разговора — около { $tokens ->
    [one] { $tokens } токена
   *[other] { $tokens } токенов
}.
chat-entered-more = Пишите, чтобы продолжить, или перечитайте его: /history
button-chat-name = Переименовать
button-chat-back = « Вернуться к «{ $title }»
button-chats = « Все разговоры
chat-name-ask = { $name }, как назвать разговор «{ $title }»? Отправьте новое название ответом на это сообщение.
chat-name-hint = Новое название
chat-named = Теперь разговор называется «{ $title }».
history-empty = Этот разговор пока пуст.
history-gone = Читать здесь больше нечего.
history-older = « Раньше
history-newer = Позже »
history-summary = пересказ
history-set-aside = больше не учитывается
history-replaced = заменён
history-variant = ответ { $number } из { $count }
export-title = Состояние на { $at }
export-instruction = Инструкция
export-tokens = токенов: { $promptTokens } + { $completionTokens }
export-usage = Получить этот разговор файлом: /export — Markdown, `/export json` — JSON
export-too-large = Этот разговор больше 50 МБ, а больше я в Telegram отправить не могу.

forget-ask =
    Удалить всё, что я о вас храню?

    Навсегда удалю: разговоры нашего личного чата, то, что вы спрашивали в группах, и ответы на это, описания в ваших заказах, ваше имя, язык и модель. Ответы, которые пишутся сейчас, остановлю.

    Останутся: ваш Telegram id, даты и суммы списаний, но не то, за что они, и то, что администраторы решили о вашем доступе. Сообщения в Telegram останутся, пока вы не удалите их там, а то, что уже передано для ответа или создания, я удалить не могу.
forget-erase = Удалить
forget-keep = Оставить
forget-running = Удаляю. Сначала останавливаю ответы, которые ещё пишутся.
forget-done = Всё, что я о вас хранил, удалено. Дальше — с чистого листа.
forget-kept = Ничего не удалено.
forget-expired = Этот вопрос устарел, ничего не удалено. Спросить снова: /forget
forget-order = Ваш заказ ещё не готов, поэтому ничего не удалено. Отправьте /forget снова, когда он будет готов.
forget-answer = Остановленный ответ ещё оплачивается, поэтому ничего не удалено. Отправьте /forget снова через несколько минут.
forget-not-yours = Решить это может только тот, кто попросил.
forget-anonymous = Вы пишете от имени группы, и я не знаю, какие слова ваши. Отправьте /forget от своего имени.

## Spending

usage =
    { $whose ->
        [group] Расходы этой группы
       *[user] Ваши расходы
    }
    Сегодня: { $today }
    За этот месяц: { $month }
    Всего: { $total }
usage-own-sent = Ваши собственные расходы пришлю в личный чат.
usage-own-unsent = Я не могу написать вам первым, поэтому ваши собственные расходы не дошли. Откройте чат со мной, нажмите «Запустить» и отправьте там /usage.
usage-estimated = Из них { $estimated } — оценка: точная стоимость неизвестна.
usage-only = Весь этот месяц — { $what }.
usage-kinds = Этот месяц по видам
usage-items = Этот месяц по моделям
usage-history = За этот месяц { $amount } ({ $percent } %) ушло на повторную отправку истории: с каждым сообщением модель заново читает весь разговор. /new начнёт новый, короткий.
usage-size = Длина этого разговора — около { $tokens ->
    [one] { $tokens } токена
   *[other] { $tokens } токенов
}.
usage-size-share =
    Длина этого разговора — около { $tokens ->
        [one] { $tokens } токена
       *[other] { $tokens } токенов
    }, это { $percent ->
        [0] меньше 1 %
       *[other] { $percent } %
    } того, что { $model } читает за раз.
usage-next = Следующее сообщение здесь: { $amount } + ответ.
costnote-is = { $note ->
    [always] Под каждым ответом показывается, сколько он стоил и сколько будет стоить следующее сообщение.
    [off] Цены под ответами не показываются.
   *[from] Под ответом показывается, сколько он стоил и сколько будет стоить следующее сообщение, если это { $amount } или больше.
}
costnote-whose = { $whose ->
    [own] Так выбрали вы.
    [all] Это настройка для всех.
   *[default] Это настройка по умолчанию.
}
costnote-change = Другая сумма: `/costnote from 2,50`
costnote-choice = { $note ->
    [always] Всегда
    [off] Никогда
   *[from] От { $amount }
}
costnote-default = Как у всех
costnote-change-all = Для всех: `/costnote all from 5`
chart-own = Ваши расходы за 30 дней
chart-all = Все расходы за 30 дней
chart-empty = Расходов не было
chart-users = Больше всех потратили
chart-rest = ещё { $count }
costnote-usage = Отправьте `/costnote always`, `/costnote off` или сумму в рублях, например `/costnote from 2,50`
costnote-usage-all = Отправьте `/costnote all always`, `/costnote all off` или сумму в рублях, например `/costnote all from 2,50`
admin-settings = Настройки оповещений и заказов:
admin-setting = { $name } — { $label }: { $value }
admin-usage = Чтобы изменить: `/admin days 5`. Некоторые можно выключить: `/admin days off`
balance = На счёте бота в сервисе осталось { $balance }.
balance-pace = При недавнем расходе, около { $pace } в день, этого хватит { $days ->
    [0] меньше чем на день
    [one] на { $days } день
    [few] на { $days } дня
   *[many] на { $days } дней
}.
balance-month = Потрачено за этот месяц: { $spent }.
balance-limit = Из общего лимита на месяц, { $limit }, осталось { $amount }.
balance-limit-over = Это на { $amount } больше общего лимита на месяц, { $limit }.
balance-no-limit = Общего лимита на всех нет. Администратор может его задать: `/limit all 5000 month`
balance-pace-alone = Недавний расход — около { $pace } в день.
balance-pace-month = При недавнем расходе, около { $pace } в день, этого хватит до конца месяца.
balance-pace-year = При недавнем расходе, около { $pace } в день, этого хватит больше чем на год.
balance-no-pace = За последние 7 дней ничего не потрачено.
balance-check =
    С { $from } баланс уменьшился на { $moved }, пользователям записано { $charged }.
    Разница: { $difference }.
balance-unsettled = Часть запросов ещё в работе или только что закончилась, поэтому разница ещё может измениться.
spend-none = За это время никто ничего не потратил.
spend-unpriced = Заказы без цены, за них никто не платит:
spend-nobody = По запросу «{ $search }» никого не нашлось. Попробуйте часть имени, @username или id.
spend-kind = { $kind ->
    [answer] ответы
    [retry] повторы
    [summary] пересказы
    [video] ролики
    [image] картинки
   *[sound] звуки
}
spend-span = { $span ->
    [today] Сегодня
    [week] Последние 7 дней
    [days] Последние 30 дней
    [month] Этот месяц
   *[all] За всё время
}
spend-span-button = { $span ->
    [today] Сегодня
    [week] 7 дней
    [days] 30 дней
    [month] Месяц
   *[all] Всё время
}
spend-sum = Всего { $amount }, { $charges ->
    [one] { $charges } списание
    [few] { $charges } списания
   *[other] { $charges } списаний
}
spend-users = По пользователям
spend-rest = { $count ->
    [one] ещё { $count } пользователь
    [few] ещё { $count } пользователя
   *[other] ещё { $count } пользователей
}
spend-only = Всё это — { $what }.
spend-kinds = По видам
spend-items = По моделям
spend-other-items = остальное
spend-days = По дням
spend-earlier = раньше
spend-estimated = Из них { $amount } — оценка.
spend-history = Из них { $amount } ({ $percent ->
    [0] меньше 1 %
   *[other] { $percent } %
}) ушло на повторную отправку истории.
spend-written-off = Ещё { $amount } — убыток: сервис оставил деньги себе, и никто из пользователей за это не платит.
spend-found = По запросу «{ $search }» нашлось: { $count }. За этот месяц:
spend-found-more = И ещё { $count }. Напишите имя полнее, чтобы сузить поиск.
spend-orders = Последние заказы
spend-order = { $item }, { $at }: { $state ->
    [delivered] готов, { $amount }
    [failed] не получился, { $amount }
    [cancelled] отменён
   *[other] в работе, { $amount }
}
spend-file-button = Все списания файлом
spend-picture-button = График
spend-picture-failed = График построить не удалось. Попробуйте ещё раз.
spend-file-comes = Файл сейчас придёт.
spend-files = Списаний слишком много для одного файла, поэтому файлов { $count }.
spend-csv-usage = Укажите срок: `/spend csv today`, `/spend csv 7d`, `/spend csv 30d`, `/spend csv month` или `/spend csv all`

## Limits

limit-amount = { $amount } { $period ->
    [day] в день
    [week] в неделю
    [month] в месяц
   *[all] всего
}
limit-none = { $period ->
    [day] без дневного лимита
    [week] без недельного лимита
    [month] без месячного лимита
   *[all] без лимита на всё время
}
limit-unlimited = без лимита
limit-left = Лимит { $limit }: осталось { $left }{ $resets ->
    [never] {""}
   *[at] , обновится { $at }
}
limit-reached =
    На момент запроса оставалось { $left } из { $whose ->
        [group] лимита этой группы
        [everybody] общего лимита на всех
       *[user] вашего лимита
    } ({ $limit }){ $isMore ->
        [true] {""}, ещё { $reserved } в работе
       *[false] {""}
    }{ $isPriced ->
        [true] {""}, а на это нужно { $needed }
       *[false] {""}
    }. Ничего не списано.
    { $period ->
        [all] Поднять лимит может только администратор.
       *[other] Лимит обновится { $at }.
    }
limit-cut =
    (Ответ обрезан: на большее не хватает { $whose ->
        [group] лимита этой группы
        [everybody] общего лимита на всех
       *[user] вашего лимита
    } ({ $limit }).{ $period ->
        [all] {""}
       *[other] {" "}Лимит обновится { $at }.
    })
button-ask-more = Попросить поднять лимит
limit-request =
    { $name }, { $id }, просит поднять лимит.
    { $whose ->
        [group] Лимит группы { $subject }
        [everybody] Общий лимит на всех
       *[user] Лимит пользователя
    }: { $limit }. Осталось { $left }{ $isPriced ->
        [true] , а нужно { $needed }
       *[false] {""}
    }.
limit-verb = { $verb ->
    [half] +50 %: { $amount }
    [double] ×2: { $amount }
    [lift] Сегодня без лимита
   *[refuse] Отклонить
}
limit-decided = { $decision ->
    [raised] Поднят до { $limit }
    [lifted] До полуночи без лимита
   *[refused] Отклонено
}: { $admin }, { $at }
limit-answer = { $decision ->
    [raised] Администратор поднял { $whose ->
        [group] лимит этой группы
        [everybody] общий лимит на всех
       *[user] ваш лимит
    }: теперь { $limit }.
    [lifted] Администратор снял { $whose ->
        [group] лимит этой группы
        [everybody] общий лимит на всех
       *[user] ваш лимит
    } до полуночи.
   *[refused] Администраторы не стали поднимать { $whose ->
        [group] лимит этой группы
        [everybody] общий лимит на всех
       *[user] ваш лимит
    }.
}
limit-asked = Запрос отправлен. Я напишу, когда администраторы решат.
limit-asked-already = Этот запрос уже у администраторов, они пока не решили.
limit-asked-refused = Администраторы отклонили этот запрос. Повторить его можно через сутки.
limit-has-room = Этого лимита снова хватает. Попробуйте ещё раз.
limit-no-request = Этого запроса больше нет.
limit-near =
    { $whose ->
        [group] Эта группа потратила
       *[user] Вы потратили
    } { $spent } при лимите { $limit }: осталось { $left }.
    { $period ->
        [all] Поднять этот лимит может только администратор.
       *[other] Лимит обновится { $at }.
    }
limit-everybody-now = Общий лимит на всех: { $limit }.
limit-defaults =
    Все вместе: { $everybody }

    Лимиты по умолчанию:
    для пользователя: { $users }
    для группы: { $groups }
    На администраторов не распространяются.
limit-usage =
    Лимит одного пользователя или группы: `/limit @name 500 month`
    Общий лимит на всех, с администраторами: `/limit all 3000 month`
    Вместо имени подойдёт id, вместо суммы — none (без лимита) или default. Сроки: day, week, month, all.
limit-of = { $whose ->
    [group] Лимиты группы { $id }:
    [everybody] Общие лимиты на всех:
   *[user] Лимиты: { $name } ({ $id })
}
limit-line = { $limit } ({ $origin ->
    [own] свой
    [set] задал администратор
    [settings] BUDGET_RUB
   *[default] по умолчанию
})
limit-line-spent = { $limit } ({ $origin ->
    [own] свой
    [set] задал администратор
    [settings] BUDGET_RUB
   *[default] по умолчанию
}) — потрачено { $spent }, в работе { $reserved }, осталось { $left }
limit-lifted-today = До полуночи ни один из них не действует: администратор их снял.
limit-who-unknown = Я не знаю пользователя или группу «{ $who }». Лимит можно задать тем, кто мне уже писал: они в /users
limit-who-ambiguous = Имя «{ $who }» было у нескольких пользователей. Укажите id: он есть в /users и /access.
limit-period-unknown = Добавьте срок: day, week, month или all, например `/limit @name 500 month`
limit-amount-malformed = «{ $amount }» — не сумма. Укажите рубли, например 500 или 99,90, или none — без лимита.
limit-amount-negative = Лимит не может быть меньше нуля. Чтобы запретить расходы, напишите 0; чтобы снять лимит — none.
limit-amount-huge = Лимит может быть не больше { $max }. Чтобы снять лимит, напишите none.

## Videos

order-summary = { $kind ->
    [image] картинка, { $options }
    [sound] звук, { $options }
   *[video] { $options }
}
picture-no-public-url = Передать картинку дальше отсюда я не могу, поэтому создаю ролики только по описанию. Это может исправить администратор: боту нужен публичный адрес.
picture-too-large = Эта картинка слишком большая: больше 20 МБ или 8000 пикселей по стороне. Отправьте её как фото — Telegram сам её уменьшит.
picture-too-small = Для ролика эта картинка слишком мала: в каждой стороне нужно хотя бы 200 пикселей. Отправьте картинку побольше.
picture-wrong-shape = Для ролика эта картинка слишком вытянута: длинная сторона может быть не больше трёх коротких. Обрежьте картинку и отправьте снова.
picture-not-a-picture = Ролик можно создать только из фото: JPEG, PNG или WebP. Отправьте картинку как фото.
picture-one-of-several = Здесь несколько фото, а ролик создаётся из одного. Отправьте его отдельно или ответьте на него командой /video.
picture-gone = Получить эту картинку из Telegram не удалось. Отправьте её ещё раз.
price-unknown = цена не задана
order-waiting =
    { $summary } — { $price }
    Ждёт, пока завершится один из других ваших заказов.
order-placed =
    { $summary } — { $price }
    Заказ принят и отправляется в работу.
order-in-line =
    { $summary } — { $price }
    { $position ->
        [1] Ваш заказ следующий в очереди
       *[other] Место в очереди: { $position }
    }, ждать примерно { $wait }. В минуту можно принять лишь несколько заказов.
order-service-away =
    { $summary } — { $price }
    Сейчас ничего создать нельзя. Заказ сохранён и уйдёт, как только это станет возможно; до этого ничего не спишется.
order-generating =
    { $summary } — { $price }
    { $kind ->
        [video] { $progress ->
            [begun] Ролик создаётся. Обычно это занимает 5–15 минут; я напишу, когда он будет готов.
            [late] Ролик создаётся уже { $minutes } мин, обычно хватает 5–15. Я напишу, когда он будет готов.
           *[going] Ролик создаётся: прошло { $minutes } мин, обычно нужно 5–15.
        }
        [image] Картинка создаётся. Это недолго.
       *[sound] Звук создаётся. Это недолго.
    }
order-ready =
    { $summary } — { $price }
    Готово, отправляю.
order-delivered =
    { $summary } — { $price }
    { $kind ->
        [video] Готово. Ролик ниже.
        [image] Готово. Картинка ниже.
       *[sound] Готово. Звук ниже.
    }
order-failed =
    { $summary }
    { $reason }
order-cancelled =
    { $summary }
    Отменено. Ничего не списано.
button-cancel = Отменить
cancel-done = Отменено. Ничего не списано.
cancel-too-late = Отменить уже нельзя: заказ выполняется или завершён.
result-ready =
    { $count ->
        [one] { $kind ->
            [video] Ваш ролик готов.
            [image] Ваша картинка готова.
           *[sound] Ваш звук готов.
        }
       *[other] { $kind ->
            [video] Ваши ролики готовы: { $count }.
            [image] Ваши картинки готовы: { $count }.
           *[sound] Ваши звуки готовы: { $count }.
        }
    }
result-below =
    { $kind ->
        [video] Ваши ролики ({ $count }):
        [image] Ваши картинки ({ $count }):
       *[sound] Ваши звуки ({ $count }):
    }
result-link =
    { $count ->
        [one] { $kind ->
            [video] Ваш ролик готов, но он слишком большой, чтобы отправить его сюда. Скачайте его по ссылке:
            [image] Ваша картинка готова, но она слишком большая, чтобы отправить её сюда. Скачайте её по ссылке:
           *[sound] Ваш звук готов, но он слишком большой, чтобы отправить его сюда. Скачайте его по ссылке:
        }
       *[other] { $kind ->
            [video] Ваши ролики готовы, но они слишком большие, чтобы отправить их сюда. Скачайте их по ссылкам:
            [image] Ваши картинки готовы, но они слишком большие, чтобы отправить их сюда. Скачайте их по ссылкам:
           *[sound] Ваши звуки готовы, но они слишком большие, чтобы отправить их сюда. Скачайте их по ссылкам:
        }
    }
    { $links }
result-maybe-shown =
    Связь оборвалась, когда я отправлял { $kind ->
        [video] ваши ролики
        [image] ваши картинки
       *[sound] ваши звуки
    } ({ $count }), и я не знаю, дошли ли они. Второй раз я их не отправлял. { $isLinked ->
        [true] Их можно скачать и по ссылкам:
       *[false] Если их нет, /orders пришлёт их ещё раз.
    }
    { $links }
media-refused-unknown = Такого здесь создать нельзя. Ничего не заказано и не списано.
result-gone =
    { $kind ->
        [video] Получить этот ролик
        [image] Получить эту картинку
       *[sound] Получить этот звук
    } сейчас не удаётся, а в Telegram файла уже нет. Попробуйте позже.
order-refused-balance = На счёте бота не хватает денег на этот заказ. Ничего не списано. Попросите администратора пополнить счёт.
order-refused-request = Такое описание не принимается. Ничего не списано. Попробуйте другими словами.
order-refused-request-why =
    Этот заказ не принимается. Ничего не списано. Причина:
    { $reason }
order-refused-provider = Начать этот заказ не удалось. Ничего не списано. Попробуйте ещё раз, лучше другими словами.
order-refused-unavailable = Слишком долго ничего нельзя было создать, и заказ не начат. Ничего не списано. Попробуйте позже.
task-failed =
    { $kind ->
        [video] Ролик не получился.
        [image] Картинка не получилась.
       *[sound] Звук не получился.
    } Вы за это не платите ({ $price }).
task-failed-why =
    { $kind ->
        [video] Ролик не получился.
        [image] Картинка не получилась.
       *[sound] Звук не получился.
    } Вы за это не платите ({ $price }). Причина:
    { $reason }
order-outcome-unknown =
    Связь оборвалась, когда я отправлял ваш заказ, и я не знаю, выполняется ли он. Второй раз я его не отправлял, чтобы не платить дважды. В ваши расходы записана оценка, { $price }; администратор может её проверить.
order-overdue = Заказ выполнялся слишком долго, и я перестал ждать. Вы за это не платите ({ $price }).
order-lost = Этот заказ потерялся, не завершившись. Вы за это не платите ({ $price }).
order-undeliverable =
    { $kind ->
        [video] Ролик создан, но получить его
        [image] Картинка создана, но получить её
       *[sound] Звук создан, но получить его
    } не удалось. Вы за это не платите ({ $price }).
order-chat-away =
    { $kind ->
        [video] Ролик создан
        [image] Картинка создана
       *[sound] Звук создан
    }, но я месяц не мог написать в этот чат. В ваших расходах остаётся { $price }.
order-chat-away-early = Написать в этот чат не удалось, поэтому я не отправил заказ. Ничего не списано.

## Cards

option-duration = { $seconds } с
option-shape = { $shape ->
    [square] квадрат
    [portrait] вертикально
   *[landscape] горизонтально
}
item-made = { $kind ->
    [video] ролик { $options }
    [image] картинка
   *[sound] звук
}
option-from-picture = из картинки
media-too-long = Слишком длинное описание: { $length ->
    [one] { $length } символ
    [few] { $length } символа
   *[other] { $length } символов
}. Можно не больше { $limit }, сократите его.
media-not-sold = { $kind ->
    [image] Картинок
    [sound] Звуков
   *[video] Роликов
} я не создаю{ $offered ->
    [none] : напишите что угодно, и ответит языковая модель.
   *[some] , зато создаю { $kinds }: { $commands }
}
media-no-price = Цена для этого не задана, поэтому заказать может только администратор.
media-not-offered = Сейчас такое создать нельзя. Что доступно: /{ $kind }
picture-video-only = { $hasVideo ->
    [true] Из картинки можно создать только ролик: отправьте её с подписью /video или ответьте на неё командой /video.
   *[false] Из картинки я ничего не создаю. Опишите словами, что нужно: /{ $kind }
}
card-words =
    { $kind ->
        [image] Картинка
        [sound] Звук
       *[video] Ролик
    }: { $summary } — { $price }

    Ответьте на это сообщение, и я сделаю заказ. Напишите, что должно { $kind ->
        [image] быть на картинке, например «лиса в снегу, акварель».
        [sound] звучать, например «дождь стучит по крыше».
       *[video] { $motion ->
            [true] происходить на картинке, например «камера медленно приближается».
           *[false] быть в ролике, например «лиса бежит по снегу».
        }
    } Что выберете ниже, запомню на следующий раз.
card-confirmation =
    { $kind ->
        [image] Картинка
        [sound] Звук
       *[video] Ролик
    }: { $summary } — { $price }

    { $isLoose ->
        [true] Заказать это или спросить модель?
       *[false] Заказать?
    }
card-dropped = Не заказано. Ничего не списано.
card-order = Заказать за { $price }
card-order-unknown = Заказать без цены
card-drop = Не заказывать
card-ask-model = Спросить модель
card-sound = Лучше создать звук
card-price-changed = Цена изменилась с тех пор, как вы её видели.
card-second = Меньше минуты назад вы уже сделали заказ.
card-own-shape = Ролик из картинки сохраняет её форму.
card-unclear = «{ $written }» { $count ->
    [one] останется
   *[other] останутся
} в описании. Проверьте варианты ниже.
card-no-pair = { $tapped } не сочетается с { $chosen }.
card-not-yours = Это чужая карточка. Своя — по команде /{ $kind }
card-old = Этой карточке больше суток. Новая — по команде /{ $kind }
card-ordered-already = Уже заказано.
card-use-buttons = Ответьте кнопками под карточкой.
card-in-words = Опишите это словами.

## Orders

orders-title = Ваши заказы, новые сверху:
orders-none = Заказов пока нет.{ $offered ->
    [none] {""}
   *[some] {" "}Создать { $kinds }: { $commands }
}
orders-line =
    { $number }. { $words }
    { $summary } — { $state ->
        [waiting] ждёт других ваших заказов
        [placed] в очереди
        [submitted] отправляется в работу
        [generating] создаётся
        [ready] отправляется вам
        [delivered] готово
        [cancelled] отменён
       *[failed] не получилось
    }, { $price }
orders-one =
    { $summary }
    { $state ->
        [waiting] ждёт других ваших заказов
        [placed] в очереди
        [submitted] отправляется в работу
        [generating] создаётся
        [ready] отправляется вам
        [delivered] готово
        [cancelled] отменён
       *[failed] не получилось
    }, { $price }
    { $at }
orders-free = ничего не списано
orders-not-yours = Это чужой список. Ваш: /orders
button-orders = « Все заказы
button-send-again = Прислать ещё раз
button-again = Ещё раз
button-vertical = Вертикально
button-horizontal = Горизонтально
button-length = { $seconds } с
again-placed = Заказано.
again-under-way = Вы это уже заказали, заказ в работе.
button-animate = Оживить

## Answers

reply-empty = Модель прислала пустой ответ. Попробуйте другими словами.
reply-cut = (Ответ достиг предела длины. Напишите «продолжай», чтобы получить остальное.)
reply-all-thinking = Модель потратила все токены на размышления и ответа не написала. Спросите о чём-нибудь поменьше, попросите ответить ещё раз или выберите другую модель.
reply-filtered = (Здесь ответ оборвал фильтр провайдера. Остальное можно попробовать получить другими словами или от другой модели.)
reply-filtered-whole = Фильтр провайдера не пропустил ответ. Попробуйте другими словами или с другой моделью.
reply-refused = (Модель отказалась отвечать. Попробуйте другими словами или с другой моделью.)
reply-refused-whole = Модель отказалась отвечать. Попробуйте другими словами или с другой моделью.
reply-unseen = { $kind ->
    [photo] (Я не вижу картинок, поэтому ответил на подпись.)
    [video] (Я не смотрю видео, поэтому ответил на подпись.)
    [animation] (Я не вижу анимаций, поэтому ответил на подпись.)
    [audio] (Я не слышу записей, поэтому ответил на подпись.)
    [voice] (Я не слышу голосовых сообщений, поэтому ответил на подпись.)
   *[file] (Я не открываю такие файлы, поэтому ответил на подпись.)
}
reply-stopped = (Остановлено.)
reply-stopped-charged = (Остановлено. Ответ оплачен целиком: { $amount }.)
reply-stopped-shown = (Остановлено. Вы платите за то, что видите: { $amount }.)
reply-stopped-in-queue = (Остановлено до обращения к модели. Ничего не списано.)
reply-waits = { $count ->
    [1] Отвечу после предыдущего вопроса.
    [one] Отвечу после { $count } предыдущего вопроса.
   *[other] Отвечу после { $count } предыдущих вопросов.
}
reply-begins = Отвечаю…
reply-thinks = Думаю, { $seconds } с…
reply-queued =
    Сейчас много вопросов.
    { $position ->
        [1] Ваш вопрос следующий в очереди
       *[other] Ваше место в очереди: { $position }
    }, ждать примерно { $wait }. Выйти из очереди: /stop
wait-seconds = { $count } с
wait-minutes = { $count } мин
reply-interrupted = (Меня перезапустили посреди ответа, и он оборвался. Нажмите «Повторить», чтобы получить его целиком.)
reply-message-too-long = Одно это сообщение длиннее, чем модель может прочесть. Сократите его или выберите модель с большим контекстом: /model
reply-context = (Разговор занимает { $percent } % того, что модель читает за раз. /new начнёт новый.)
reply-next-cost = (Дальше: { $amount } + ответ)
summary-offer = Каждое сообщение здесь стоит около { $before } ещё до ответа: вся история отправляется заново. Пересказ от { $model } один раз стоит около { $once }, а сообщение после него — около { $after }. Подробности могут пропасть; всё целиком останется в /history.
summary-gone = Пересказывать уже нечего: пересказ сделан, вы ушли из этого разговора или экономии больше не будет.
summary-dearer = Разговор стал длиннее, и пересказ теперь дороже. Новая цена — в сообщении.
button-summarize = Сделать пересказ, около { $amount }
button-not-now = Не сейчас
summary-made = (Это был пересказ, его написала модель { $model }{ $price ->
    [paid] {" "}за { $amount }
   *[free] {""}
}. Теперь вместо всего, что было до него, отправляется он, и подробности могут пропасть; перечитать их можно в /history.)
summary-unchanged = (Разговор остался прежним.)
summary-empty = Модель прислала пустой пересказ. Попробуйте ещё раз.
summary-cut = (Пересказ достиг предела длины, и части его не хватает.)
summary-too-long = Разговор длиннее, чем модель может прочесть. Выберите модель с большим контекстом: /model
retry-running = Этот ответ ещё пишется. Остановите его командой /stop, а затем отправьте /retry.
retry-nothing = Здесь пока нет ответа, который можно повторить.
retry-which =
    Какой моделью? Нажмите, чтобы скопировать, и отправьте; хватит и части названия:
    { $commands }
button-stop = Остановить
button-stop-answer = Остановить ответ
button-take-back = Отозвать вопрос
take-back-begun = Я уже отвечаю на этот вопрос. Чтобы прервать ответ, нажмите «Остановить».
button-retry = Повторить
button-row-again = ↻ Ещё раз
button-row-others = ⇄ Другая модель
button-row-back = « Назад
button-answer-again = ↻ Ещё раз{ $price ->
    [known] {" "}{ $amount }
   *[unknown] {""}
}
button-answer-again-with = Через { $model }{ $price ->
    [known] {" "}{ $amount }
   *[unknown] {""}
}
button-receipt = Чек: { $amount }
receipt-head = { $model }, { $at }
receipt-words = Новые слова, { $tokens ->
    [one] { $tokens } токен
    [few] { $tokens } токена
   *[other] { $tokens } токенов
}
receipt-whole = Отправлено, { $tokens ->
    [one] { $tokens } токен
    [few] { $tokens } токена
   *[other] { $tokens } токенов
}
receipt-history = История, { $messages ->
    [one] { $messages } сообщение
    [few] { $messages } сообщения
   *[other] { $messages } сообщений
}
receipt-history-tokens = История, { $tokens ->
    [one] { $tokens } токен
    [few] { $tokens } токена
   *[other] { $tokens } токенов
}
receipt-answer = Ответ, { $tokens ->
    [one] { $tokens } токен
    [few] { $tokens } токена
   *[other] { $tokens } токенов
}
receipt-part = { $part }: { $amount }
receipt-charged = Списано: { $amount }{ $isEstimate ->
    [true] , это оценка: точная стоимость неизвестна
   *[false] {""}
}
receipt-request = Запрос:
receipt-gone = Чека нет: за это ничего не списано, или он удалён.
receipt-not-yours = Этот чек может увидеть только тот, кто спросил, или администратор.
receipt-sent = Чек отправлен вам в личный чат.
receipt-unsent = Я не могу написать вам первым. Откройте чат со мной, нажмите «Запустить», а затем снова эту кнопку.
button-answer = Ответить
button-decline = Не отвечать
button-fresh = Новый разговор с этого сообщения
button-shorten = Продолжить без самых старых сообщений
button-rerun = Ответить заново отсюда
held-late = Это сообщение пришло примерно { $age } назад, и раньше прочесть его я не мог. Всё ещё ответить?
held-conversation-too-long = Разговор стал длиннее, чем модель читает за раз. Как продолжить? То, что я уберу, останется в чате, но модель этого больше не прочтёт.
held-edited = Вы изменили это сообщение, когда ответ уже был. Могу ответить заново отсюда: то, что было дальше, перестанет учитываться, но его стоимость останется в ваших расходах.
held-price = С этим файлом сообщение будет стоить около { $amount }, не считая ответа. Ответить?
held-declined = Хорошо, на это сообщение я не отвечу.
age-hours = { $count ->
    [one] { $count } час
    [few] { $count } часа
   *[other] { $count } часов
}
age-days = { $count ->
    [one] { $count } день
    [few] { $count } дня
   *[other] { $count } дней
}
turn-not-yours = Это может сделать только тот, кто спросил, или администратор.
turn-gone = Это уже решено, или разговор ушёл дальше.
prompt-in-reply = В ответ на это сообщение:
prompt-unseen = (К сообщению { $kind ->
    [photo] приложена картинка
    [video] приложено видео
    [animation] приложена анимация
    [audio] приложена запись
    [voice] приложено голосовое сообщение
    [video_note] приложено видеосообщение
    [sticker] приложен стикер
   *[file] приложен файл
}, тебе это не видно.)
prompt-unseen-answered = (Это ответ на { $kind ->
    [photo] картинку
    [video] видео
    [animation] анимацию
    [audio] запись
    [voice] голосовое сообщение
    [video_note] видеосообщение
    [sticker] стикер
   *[file] файл
}, тебе это не видно.)
prompt-file = Файл «{ $name }»:
prompt-known-file = (Речь о файле «{ $name }» выше.)
reply-maybe-double = (Связь прервалась, поэтому это сообщение, возможно, уже есть выше.)
reply-insufficient-balance = На счёте бота не хватает денег на этот ответ. Попросите администратора пополнить счёт.
reply-unauthorized = Я настроен неправильно и не могу ответить. Администраторы бота об этом знают.
reply-model-misconfigured = Эта модель настроена неправильно и не может ответить. Администраторы бота об этом знают.
reply-invalid-request = Это сообщение не принимается. Сократите его или выберите другую модель: /model
reply-rate-limited = Сейчас слишком много вопросов. Попробуйте через минуту.
reply-provider-rejected = Поставщик модели отклонил запрос. Попробуйте ещё раз или выберите другую модель: /model
reply-service-unavailable = Модель сейчас не отвечает. Попробуйте через минуту.
reply-stream-broken = Связь с моделью оборвалась, и конца ответа нет.
reply-outcome-unknown = Связь оборвалась до ответа, и я не знаю, написала ли его модель.
reply-unexpected-answer = В ответ пришло то, чего я не могу прочесть. Попробуйте ещё раз или скажите администратору.
reply-failed = Что-то пошло не так, и ответить не удалось. Попробуйте ещё раз.
reply-charged-shown = Вы платите за то, что видите: { $amount }.
reply-charged-nothing = Ничего не списано.
admin-insufficient-balance = Администраторам: на счёте бота в сервисе не хватает денег, вопросы остаются без ответа. Сколько осталось, покажет /balance; если денег хватает, исчерпан лимит трат самого ключа бота. В ближайший час об этом не напомню.
admin-unauthorized = Администраторам: сервис не принимает ключ бота или заморозил его счёт, вопросы остаются без ответа. Проверьте SERVICE_API_KEY. В ближайший час об этом не напомню.
admin-model-misconfigured = Администраторам: сервис сообщает, что модель { $model } настроена у него неправильно, вопросы к ней остаются без ответа. Причину — ключ, деньги, права или имя у поставщика — его владелец найдёт в журнале сервиса. Ничего не списано. В ближайший час об этом не напомню.
admin-service-unavailable = Администраторам: сервис не отвечает, вопросы остаются без ответа. Если это не проходит: работает ли он и верен ли SERVICE_URL? В ближайший час об этом не напомню.
admin-service-is-openai = Администраторам: по адресу SERVICE_URL отвечает API OpenAI: вместо SERVICE_URL и SERVICE_API_KEY задайте OPENAI_BASE_URL и OPENAI_API_KEY. До тех пор вопросы остаются без ответа. В ближайший час об этом не напомню.
admin-not-this-service = Администраторам: по адресу SERVICE_URL отвечает не тот сервис, с которым я умею работать, вопросы остаются без ответа. Проверьте адрес; для API, подобного OpenAI, вместо SERVICE_URL и SERVICE_API_KEY задайте OPENAI_BASE_URL и OPENAI_API_KEY. В ближайший час об этом не напомню.
admin-storage-unavailable = Администраторам: сервис не может сохранить готовый результат: на диске кончилось место или остался последний гигабайт, либо он закрыт для записи, либо хранилище отказывает. Результаты ждут до своего срока, затем деньги вернутся на счёт. Причина — в журнале. В ближайший час об этом не напомню.
admin-price-kept =
    Администраторам: { $model } продаётся по старой цене ${ $old } (доллары за 1 млн токенов на входе/выходе). { $reason ->
        [missing] { $upstream } больше не называет верной цены.
       *[high] { $upstream } теперь просит ${ $next }, и часть цены выросла больше чем втрое.
    } Проверьте цену там и задайте OPENAI_PRICES.
admin-cost-differs = Администраторам: за последние сутки за { $model } списано { $charged }, а провайдер сообщает о { $reported }. Проверьте цены в SERVICE_CONFIG или OPENAI_PRICES.
admin-provider-refused =
    Администраторам: { $upstream } отказывается { $kind ->
        [order] выполнять заказы { $work }
        [list] назвать свои модели
       *[chat] отвечать за модель { $work }
    }{ $answer ->
        [status] , статус { $status }
       *[event] {""}
    }. { $words ->
        [some] Его слова: «{ $said }»
       *[none] Причины он не назвал.
    }
    { $cause ->
        [key] Ключ неверный или больше не действует: задайте верный там, где его называет SERVICE_CONFIG или OPENAI_API_KEY, и запустите заново.
        [money] Там кончились деньги: пополните счёт у поставщика; здесь менять ничего не нужно.
        [rights] У ключа нет там прав на это: дайте их или возьмите другой ключ или модель.
        [address] Никто не отвечает там так, как API OpenAI: проверьте OPENAI_BASE_URL и работает ли поставщик.
       *[name] Проверьте имя модели и адрес: в SERVICE_CONFIG либо в OPENAI_MODELS и OPENAI_BASE_URL.
    } { $kind ->
        [order] До тех пор заказы не выполняются, деньги возвращаются.
        [list] Спрашиваю его каждые 30 секунд; до тех пор пользователи читают, что бот или модель настроены неправильно.
       *[chat] До тех пор, если не отвечает другой поставщик, пользователи читают, что модель настроена неправильно; ничего не списывается.
    } В ближайший час не напомню, если за это время не заработает и не сломается снова.
admin-order-written-off = Администраторам: сервис взял деньги за заказ, который не дошёл: не был готов вовремя, не скачался или сервис больше о нём не знает. Пользователь за него не платит: он записан в убыток. Какой это заказ — в журнале, сумма — в /spend. В ближайший час об этом не напомню.
admin-limit-near = Администраторам: все вместе потратили { $spent } при лимите { $limit }: осталось { $left }.{ $period ->
        [all] {""}
       *[other] {" "}Лимит обновится { $at }.
    }
admin-limit-reached = Администраторам: общий лимит на всех, { $limit }, исчерпан. Осталось { $left }; всё, что дороже, отклоняется.{ $period ->
        [all] {""}
       *[other] {" "}Лимит обновится { $at }.
    }
admin-limit-days-low =
    Администраторам: из общего лимита на месяц осталось { $balance }. При недавнем расходе, { $pace } в день, этого хватит { $days ->
        [0] меньше чем на день
        [one] на { $days } день
        [few] на { $days } дня
       *[other] на { $days } дней
    }. В ближайший час об этом не напомню. Изменить лимит: /limit
admin-balance-low = Администраторам: на счёте бота в сервисе осталось { $balance }, меньше { $limit }. В ближайший час об этом не напомню. Изменить порог: /admin
admin-days-left-low =
    Администраторам: на счёте бота в сервисе осталось { $balance }. При недавнем расходе, { $pace } в день, этого хватит { $days ->
        [0] меньше чем на день
        [one] на { $days } день
        [few] на { $days } дня
       *[other] на { $days } дней
    }. В ближайший час об этом не напомню. Изменить порог: /admin
admin-unusual-spend =
    Администраторам: { $name } — расход за сегодня { $today }, в среднем за 30 дней { $mean } в день. В ближайший час об этом не напомню.
    Telegram id `{ $id }`
digest-day = Вчера, { $day }: { $amount }
digest-month = За этот месяц: { $amount }
digest-failed = Неудачных заказов вчера: { $count }
digest-users = Больше всех потратили за 30 дней:
digest-limit = Осталось из общего лимита на месяц: { $left } из { $limit }
digest-balance = Баланс: { $balance }
digest-balance-days =
    Баланс: { $balance }, при недавнем расходе хватит { $days ->
        [0] меньше чем на день
        [one] на { $days } день
        [few] на { $days } дня
       *[other] на { $days } дней
    }
digest-balance-year = Баланс: { $balance }, при недавнем расходе хватит больше чем на год
digest-balance-unknown = Сейчас сервис не сообщает баланс.

## Access

outsider = Это закрытый бот. Доступ можно запросить у его администраторов.
access-ask = Запросить доступ
access-asked = Запрос на доступ отправлен. Я напишу, когда администраторы решат.
access-asked-already = Ваш запрос на доступ уже у администраторов, они пока не решили.
access-ask-later = Администраторы отклонили ваш запрос на доступ. Повторить его можно после { $at }.
access-allowed = Доступ открыт. Напишите что угодно, и ответит языковая модель. Всё остальное: /help
access-refused = Администраторы отклонили ваш запрос на доступ. Повторить его можно завтра.
access-inside = У вас уже есть доступ: просто напишите мне.
access-request =
    Запрос на доступ: { $name }.
    Telegram id `{ $id }`, язык { $language }
access-allow = Дать доступ
access-refuse = Отклонить
access-block = Заблокировать
access-decided-allowed = Доступ дан: { $admin }, { $at }
access-decided-refused = Отклонено: { $admin }, { $at }
access-decided-blocked = Заблокировано: { $admin }, { $at }
access-no-request = Этого запроса больше нет.
access-list = У кого есть доступ, а у кого нет (у администраторов есть всегда):
access-usage = Изменить: `/allow @имя`, `/block @имя`, `/role @имя viewer`
access-nobody = Пока никто.
access-line = { $name }, `{ $id }` — { $state ->
    [admin] администратор
    [viewer] наблюдатель
    [in] доступ есть
    [requested] запросил доступ
    [refused] отклонён
    [blocked] заблокирован
   *[out] без доступа
}
role-now-admin = Теперь вы администратор этого бота. Что вы можете: /help
role-now-viewer = Теперь вы наблюдатель: расходы показывают /spend и /balance. Остальное: /help
role-now-none = У вас больше нет роли. Всё остальное осталось прежним.
role-usage = Изменить роль: `/role @имя admin`, `/role @имя viewer` или `/role @имя user`. Вместо имени подойдёт id. Администратор может всё и получает оповещения; наблюдатель видит расходы всех.
role-fixed = Роль задана в ADMIN_IDS, здесь её не изменить.
role-blocked = У заблокированного не может быть роли. Сначала разблокируйте его.
role-last-admin = Вы последний администратор. Сначала назначьте кого-нибудь ещё.
user-unknown = Я не знаю никого с таким именем или id: мне знакомы только те, кто мне писал. Они в /users
allow-usage = Открыть доступ: `/allow @имя`. Вместо имени подойдёт id.
allow-done = { $name }, { $id }: доступ открыт.
block-usage = Заблокировать: `/block @имя`. Вместо имени подойдёт id. Разблокировать: `/allow @имя`
block-done = { $name }, { $id }: доступ заблокирован, я больше не отвечаю. Что ждало, отменено; что оплачено и создаётся, дойдёт.
block-admin = Администратора заблокировать нельзя. Сначала снимите роль.
admins-only = Это могут делать только администраторы.
users-all = Все, кто мне писал, сверху — недавние:
users-found = По запросу «{ $search }»:
users-more = Это первые { $count }. Все остальные на странице: /dashboard
users-none = Никого.
users-line = { $user }; последний визит: { $seen }; за этот месяц: { $month }
stats-none = нет
stats-users = Пользователи: всего { $all }, сегодня { $today }, за последние 7 дней { $week }.
stats-turns = Ответы за последние 24 часа: { $turns }.
stats-turn = { $state ->
    [waiting] ждут предыдущего ответа
    [streaming] пишутся
    [finished] закончены
    [stopped] остановлены
    [failed] не получились
    [interrupted] прерваны
    [held] ждут решения пользователя
   *[declined] отменены пользователем
} { $count }
stats-orders =
    Заказы в работе: { $open }.
    Завершены за последние 24 часа: { $ended }.
stats-order = { $state ->
    [waiting] ждут других заказов пользователя
    [placed] в очереди
    [submitted] отправляются в сервис
    [generating] создаются
    [ready] отправляются пользователю
    [delivered] доставлены
    [cancelled] отменены
   *[failed] не получились
} { $count }
stats-oldest = Самый старый заказ в работе сделан { $minutes ->
    [one] { $minutes } минуту
    [few] { $minutes } минуты
   *[many] { $minutes } минут
} назад.
stats-errors = Ошибки за последние 24 часа:
stats-error = { $kind ->
    [chat] ответы
    [video] ролики
    [image] картинки
   *[sound] звуки
}: { $code } — { $count }
stats-queues = Очереди к сервису сейчас:
stats-queue = { $kind ->
    [chat] ответы
    [video] ролики
    [image] картинки
   *[sound] звуки
}: ждут { $waiting }, в сервисе { $asked }{ $waiting ->
    [0] {""}
   *[other] , первый ждёт { $minutes } мин
}
viewers-only = Это могут делать только администраторы и наблюдатели.

## Language

language-choose = На каком языке мне говорить?
language-telegram = Как в Telegram
language-chosen = Теперь я говорю по-русски.

## Everything else in a chat

page-previous = « Назад
page-next = Ещё »
message-unread = Такие сообщения я не читаю. Напишите мне или пришлите файл: текст, PDF или Word (.docx).
unseen = { $kind ->
    [photo] Я не вижу картинок. Задайте вопрос в подписи, и я отвечу на неё.{ $hasVideo ->
        [true] {" "}Чтобы создать из картинки ролик, ответьте на неё командой /video и напишите, что должно произойти.
       *[false] {""}
    }
    [video] Я не смотрю видео. Задайте вопрос в подписи, и я отвечу на неё.
    [animation] Я не вижу анимаций. Напишите словами.
    [audio] Я не слышу записей. Задайте вопрос в подписи, и я отвечу на неё.
    [voice] Я не слышу голосовых сообщений. Напишите мне.
    [video_note] Я не смотрю видеосообщения. Напишите мне.
    [sticker] Я не вижу стикеров. Напишите словами.
   *[file] Такие файлы я не открываю. Я читаю текст и код, PDF и Word (.docx).
}
file-nameless = без имени
file-unread = { $problem ->
    [too_large] Файл «{ $name }» больше 20 МБ, а больше Telegram мне скачать не даёт. Пришлите его часть.
    [too_long] Файл «{ $name }» слишком длинный: в одном сообщении я читаю до 500 000 символов, это около 250 страниц. Пришлите нужную часть.
    [too_heavy] Чтобы прочесть файл «{ $name }», нужно слишком много времени или памяти. Пришлите его текст в файле попроще.
    [too_many_heavy] Файл «{ $name }» не открывался: несколько ваших файлов читались слишком долго. Пришлите его текст или попробуйте через час.
    [encrypted] Файл «{ $name }» защищён паролем. Пришлите его без пароля.
    [broken] Файл «{ $name }» не читается: он повреждён, или внутри не то, что обещает имя. Сохраните его заново и пришлите.
    [no_text] В файле «{ $name }» нет текста: он пуст, или его страницы — картинки, а их я не вижу. Пришлите сам текст.
   *[gone] Получить файл «{ $name }» из Telegram не удалось. Пришлите его ещё раз.
} Ничего не списано.
prompt-missing = Да? Напишите вопрос после моего имени.
button-stale = Эта кнопка больше не работает.
command-private = Эта команда работает только в нашем личном чате.

## The page of admins and viewers

dashboard-menu = Расходы
dashboard =
    Панель: расходы, лимиты и доступ.

    Ссылка для браузера открывает её один раз, в течение 5 минут. Не передавайте ссылку: войдёт тот, кто откроет её первым.
dashboard-open-telegram = Открыть в Telegram
dashboard-open-browser = Открыть в браузере
dashboard-browser =
    Панель: расходы, лимиты и доступ.
    { $link }

    Ссылка открывает её один раз, в течение 5 минут. Не передавайте ссылку: войдёт тот, кто откроет её первым. Чтобы открывать панель в Telegram, задайте в PUBLIC_URL адрес с https.
dashboard-here =
    Панель: расходы, лимиты и доступ — на том компьютере, где я работаю.
    { $link }

    Ссылка открывает её один раз, в течение 5 минут. Чтобы открывать панель с других устройств или в Telegram, задайте в PUBLIC_URL адрес с https, который ведёт ко мне.

## How answers look

format-is = { $format ->
    [plain] Ответы здесь — простой текст: таблицы колонками, формулы словами и знаками. Его показывает любое приложение.
    [rich] Ответы здесь — с полным оформлением. Некоторые приложения его не показывают: тогда выберите простой текст.
   *[auto] Ответы здесь — простой текст, а с таблицами, формулами, списками дел, свёрнутыми частями и заголовками разных уровней — с полным оформлением. Если ваше приложение его не показывает, выберите простой текст.
}
format-choice = { $format ->
    [plain] Простой текст
    [rich] Оформление
   *[auto] Автоматически
}

## Steps of /settings

steps-settings = { $place ->
    [group] Это действует здесь для всех. То, что касается только вас, — в нашем личном чате: /settings
   *[private] Что изменить?
}
steps-settings-back = « Настройки
step-system = Инструкция: { $isSet ->
    [true] есть
   *[false] нет
}
step-language = Язык: { $language ->
    [telegram] как в Telegram
   *[other] { $name }
}
step-format = Вид ответов: { $format ->
    [plain] простой текст
    [rich] с оформлением
   *[auto] по содержанию
}
step-costnote = Цена ответа: { $note ->
    [always] всегда
    [off] никогда
   *[from] от { $amount }
}
step-forget = Удалить всё обо мне

## Страница администраторов

page-section = { $section ->
    [overview] Расходы
    [users] Пользователи
    [check] Сверка
    [limits] Лимиты
    [access] Доступ
    [settings] Настройки
    [changes] Изменения
   *[more] Ещё
}
page-skip = Перейти к содержанию
page-menu = Разделы
page-back = Назад
page-save = Сохранить
page-saved = Сохранено
page-change = Изменить
page-retry = Повторить
page-span = Время
page-search = Поиск
page-search-hint = Имя, @username или id
page-users-found = { $count ->
    [one] { $count } пользователь
    [few] { $count } пользователя
   *[many] { $count } пользователей
}
page-none-found = По запросу «{ $search }» никого нет
page-none-found-hint = Попробуйте часть имени, @username или id.
page-pages = Страницы
page-range = { $from }–{ $to } из { $total }
page-list-previous = Назад
page-list-next = Дальше
page-erased = Удалённый пользователь
page-group = Группа { $id }
page-spent = { $span ->
    [today] Потрачено сегодня
    [week] Потрачено за 7 дней
    [days] Потрачено за 30 дней
    [month] Потрачено за месяц
   *[all] Потрачено за всё время
}
page-charge-count = { $count ->
    [one] { $count } списание
    [few] { $count } списания
   *[many] { $count } списаний
}
page-charges = { $count ->
    [0] Списаний нет
    [one] { $count } списание, в среднем по { $average }
    [few] { $count } списания, в среднем по { $average }
   *[many] { $count } списаний, в среднем по { $average }
}
page-history = Повторная отправка истории
page-estimated = Оценки
page-written-off = Убыток
page-of-sum = { $share } суммы
page-not-in-sum = в сумму не входит
page-by-day = По дням
page-day-average = в среднем { $average } в день
page-as-table = Таблицей
page-day = День
page-amount = Сумма
page-sum = Всего
page-chart = Расходы по дням, с { $from } по { $to }. Числа — в таблице ниже.
page-nothing = Расходов не было
page-nothing-yet = Здесь появится первый ответ.
page-nothing-found = С такими фильтрами ничего не нашлось.
page-top-users = Больше всех потратили
page-filters = Фильтры
page-filter = { $name ->
    [kind] Вид
    [model] Модель
   *[user] Кто
}
page-filter-all = { $name ->
    [kind] Вид: все
    [model] Модель: все
   *[user] Кто: все
}
page-clear-filters = Сбросить фильтры
page-csv = Скачать эти списания в CSV
page-today = Сегодня
page-in-progress = В работе
page-left = { $of ->
    [limit] Остаток лимита на месяц
    [nothing] Лимит на месяц
   *[account] Баланс
}
page-unknown = неизвестно
page-none-set = не задан
page-no-spenders = Пока никто ничего не потратил
page-in-overview = Показать в обзоре
page-access-and-role = Доступ и роль
page-no-orders = Заказов пока нет
page-not-charged = не списано
page-order-state = { $state ->
    [placed] в очереди
    [waiting] ждёт других заказов
    [submitted] отправляется в сервис
    [generating] создаётся
    [ready] отправляется пользователю
    [delivered] доставлен
    [cancelled] отменён
   *[failed] не получился
}
page-everybody = Все вместе
page-everybody-hint = Лимит на всех пользователей и все группы вместе, с администраторами. По умолчанию — BUDGET_RUB, в месяц.
page-default = { $whose ->
    [groups] По умолчанию для групп
   *[users] По умолчанию для пользователей
}
page-default-hint = { $whose ->
    [groups] Для групп без своего лимита.
   *[users] Для пользователей без своего лимита. На администраторов не действует.
}
page-own-limits = Свои лимиты
page-no-own-limits = Своих лимитов нет
page-no-own-limits-hint = Откройте пользователя, чтобы задать лимит, или задайте его по id ниже.
page-set-limit = Задать лимит по id
page-subject = Id пользователя или группы
page-subject-hint = Целое число; у групп оно отрицательное. Подойдёт и @username.
page-subject-unknown = Бот не знает такого пользователя или группы. Он знает тех, кто ему писал.
page-subject-ambiguous = Так звали нескольких пользователей. Укажите id.
page-period-label = Срок
page-period = { $period ->
    [day] В день
    [week] В неделю
    [month] В месяц
   *[all] Всего
}
page-change-limit = Изменить лимит: { $period }
page-limit-amount = Сумма в рублях
page-limit-amount-hint = Например, 50 или 2,50. Пусто — без лимита.
page-no-limit = Без лимита
page-by-default = по умолчанию
page-use-default = Вернуть по умолчанию
page-lifted = До полуночи лимиты не действуют: администратор их снял.
page-limit-spent = потрачено { $spent } из { $amount }
page-limit-spent-free = потрачено { $spent }
page-limit-reserved = в работе { $amount }
page-limit-resets = обновится { $at }
page-access-state = { $state ->
    [insider] Доступ есть
    [blocked] Заблокирован
    [requested] Запросил доступ
    [refused] Отклонён
   *[outsider] Без доступа
}
page-decide = { $decision ->
    [allowed] Дать доступ
    [refused] Отклонить
   *[blocked] Заблокировать
}
page-block-sure = Заблокировать { $name }? Бот перестанет отвечать этому пользователю.
page-role = Роль
page-role-name = { $role ->
    [admin] Администратор
    [viewer] Наблюдатель
   *[none] Без роли
}
page-role-hint = { $role ->
    [admin] Может менять здесь всё.
    [viewer] Может всё смотреть, но не менять.
   *[none] Не может открыть эту страницу.
}
page-role-fixed = Задано в ADMIN_IDS, здесь не меняется.
page-no-users = Пользователей пока нет
page-no-users-hint = Здесь появятся те, кто напишет боту.
page-settings = { $group ->
    [orders] Заказы роликов, картинок и звуков
   *[alerts] Оповещения
}
page-settings-hint = { $group ->
    [orders] Правила действуют для всех пользователей.
   *[alerts] Приходят администраторам в Telegram, каждое не чаще раза в час.
}
page-setting = { $name ->
    [balance] Баланс ниже, рублей
    [days] Баланса хватит меньше чем на, дней
    [times] Расход пользователя за день больше обычного, раз
    [failures] Сбои сервиса
    [digest] Ежедневная сводка ({ $timeZone })
    [confirm] Подтверждать заказ с цены, рублей
    [parallel] Заказов одного пользователя одновременно
   *[deadline] Срок заказа, минут
}
page-setting-hint = { $name ->
    [balance] Например, 500. Пусто — выключено.
    [days] По расходу за последние 7 дней. Пусто — выключено.
    [times] Например, 3. Пусто — выключено.
    [confirm] 0 — каждый заказ.
    [parallel] От 1 до 100. Остальные ждут.
   *[deadline] Не больше 1440, это сутки.
}
page-on-or-off = { $state ->
    [on] Включено
   *[off] Выключено
}
page-no-digest = Без сводки
page-off = выключено
page-no-changes = Изменений пока нет
page-no-changes-hint = Здесь появятся изменения лимитов, доступа, ролей и настроек.
page-earlier = Более ранние изменения
page-changed = { $what ->
    [role] Роль
    [access] Доступ
    [limit_day] Дневной лимит
    [limit_week] Недельный лимит
    [limit_month] Месячный лимит
    [limit_all] Общий лимит
    [alert_balance_below_micro_rub] Оповещение: баланс ниже
    [budget_month_micro_rub] Бюджет на месяц
    [alert_days_left_below] Оповещение: дней осталось меньше
    [alert_unusual_times] Оповещение: необычный расход, раз
    [alert_service_failures] Оповещение: сбои сервиса
    [digest_hour] Ежедневная сводка: час
    [media_confirm_from_micro_rub] Заказы: подтверждать от
    [media_parallel_max] Заказы: одновременно у пользователя
    [media_deadline_ms] Заказы: срок, мс
    [cost_note_from_micro_rub] Показывать цену сообщения от
   *[other] { $name }
}
page-changed-value = { $value ->
    [none] без лимита
    [off] выключено
    [on] включено
    [admin] администратор
    [viewer] наблюдатель
    [requested] запросил доступ
    [allowed] доступ есть
    [refused] отклонён
    [blocked] заблокирован
   *[other] { $value }
}
page-changed-nothing = ничего
page-pace = Расход в день за последние 7 дней
page-lasts = Хватит на
page-lasts-for-ever = расходов нет
page-lasts-a-year = больше года
page-days = { $days ->
    [one] { $days } день
    [few] { $days } дня
   *[many] { $days } дней
}
page-check-again = Сверить ещё раз
page-check-balance = Списания и баланс
page-check-nothing = Пока не с чем сверить
page-check-nothing-hint = Сервис сейчас не сообщает баланс.
page-moved = Баланс уменьшился на
page-charged = Пользователям записано
page-difference = Разница
page-exact = Всё сходится до миллионной доли рубля.
page-differs = Разницу дают пополнения счёта, убытки, оценки и другие траты по тому же ключу.
page-unsettled = Часть запросов ещё в работе, поэтому разница может уменьшиться.
page-check-sums = Сохранённые суммы и списания
page-sums-right = Каждая сохранённая сумма сходится со списаниями.
page-sums-wrong = Некоторые сохранённые суммы не сходятся со списаниями.
page-sum-name = Сумма
page-stored = Сохранено
page-of-charges = Списания
page-rebuild = Пересчитать их:
page-signed-in-as = Вы вошли как
page-viewer = Вы можете всё смотреть, но не менять: ваша роль — наблюдатель.
page-time-zone = Дни и месяцы по { $timeZone }
page-language = Язык
page-sign-out = Выйти
page-signed-out = Вы вышли
page-signing-in = Вход…
page-sign-in = Вход
page-sign-in-how = Напишите боту /dashboard и откройте его ссылку в этом браузере. В Telegram закройте страницу и откройте её снова из чата с ботом.
page-session-over = Сессия закончилась. Войдите снова в этом браузере: страница и всё введённое останутся на месте.
page-link-used = Эта ссылка уже использована: каждая открывает страницу один раз.
page-link-expired = Эта ссылка устарела.
page-link-unknown = Эта ссылка недействительна.
page-init-data-invalid = Telegram не подтвердил, кто вы.
page-init-data-expired = Подтверждение Telegram, кто вы, устарело.
page-init-data-used = Подтверждение Telegram, кто вы, уже использовано.
page-no-role = Эта страница для администраторов и наблюдателей. Попросите роль у администратора.
page-needs-script = Этой странице нужен JavaScript.
page-away = Сервер бота не отвечает. Проверьте сеть и повторите: всё введённое останется.
page-starting = Бот запускается. Повторите через несколько секунд.
page-busy = Слишком много попыток. Повторите через { $seconds ->
    [one] { $seconds } секунду
    [few] { $seconds } секунды
   *[many] { $seconds } секунд
}.
page-no-view = Такой страницы нет
page-no-user = Такого пользователя нет
page-foreign = Запрос пришёл не с этой страницы.
page-too-large = Это слишком длинно, чтобы сохранить.
page-invalid = Бот не принимает это значение.
page-changed-meanwhile = Это уже изменили: сейчас здесь { $value }. Ничего не сохранено. Сохраните ещё раз, чтобы заменить.
page-amount-malformed = Укажите сумму, например 50 или 2,50.
page-amount-negative = Сумма не может быть меньше нуля.
page-amount-huge = Не больше 1 000 000 000 рублей.
page-number-malformed = Укажите целое число от { $min } до { $max }.
page-file-used = Файл уже скачан. Скачайте его со страницы ещё раз.
page-file-expired = Ссылка на файл устарела. Скачайте его со страницы ещё раз.
page-file-unknown = Такого файла нет.
