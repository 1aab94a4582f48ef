"""Translations of the names and memos of the household in euro for the household in yen."""

JAPANESE = {
    # Accounts
    "Checking": "みずうみ銀行 普通預金", "Savings": "貯蓄", "Wallet": "財布",
    "Credit Card": "クレジットカード", "Car Loan": "自動車ローン", "Index Fund": "投資信託",
    "Old Savings": "旧口座", "Gift Card": "ギフト券", "Salary arrives here": "給料の振込先",
    "Paid on the 10th": "毎月10日払い", "Tracking only": "残高のみ",
    "Closed in the second month": "2か月目に解約",
    # Groups and categories
    "Home": "住まい", "Rent": "家賃", "Due on the 1st": "毎月1日払い",
    "Due on the 1st · Miete": "毎月1日払い・家賃", "Electricity": "電気代",
    "Internet": "インターネット", "Insurance": "保険", "Repairs": "修理", "Everyday": "日常",
    "Groceries": "食料品", "Eating Out": "外食", "Café & Kuchen": "カフェ",
    "Household Goods": "日用品", "Clothing": "衣服", "Car": "車", "Fuel": "ガソリン",
    "Paid each quarter": "四半期ごと", "Loan Payment": "ローン返済", "Health & Fun": "健康と趣味",
    "Pharmacy": "薬局", "Sport": "スポーツ", "Books & Music": "本と音楽", "Gifts 🎁": "贈り物 🎁",
    "Holiday": "旅行", "Emergency Fund": "緊急用資金", "What is left over each month": "毎月の残り",
    "New Laptop": "新しいパソコン", "Investing": "積立投資", "Rücklagen": "予備費",
    "Old Plans": "昔の計画", "Piano Lessons": "ピアノ教室", "Gym": "ジム", "Wedding": "結婚式",
    "Band": "バンド",
    # Payees
    "Brightside Studio": "あかり工房", "Linden Housing": "しだれ桜不動産",
    "Northlight Power": "北光電力", "Fernline": "しだ通信", "Fernlin": "しだ通",
    "Anchor Mutual": "いかり共済", "Corner Market": "角の市場", "Grüner Markt": "みどりスーパー",
    "Bakery Østergård": "パン工房ひがし", "Weekly Market": "朝市",
    "Osteria Già": "オステリア・ジャ", "Noodle Bar Ōkami": "麺処 おおかみ",
    "The Blue Door": "居酒屋 青い扉", "Café Zur Mühle": "喫茶 水車", "Haus & Hof": "暮らしの店",
    "Loden & Söhne": "呉服のろうでん", "Second Season": "古着二番", "Station West": "西口給油所",
    "Adler Pharmacy": "わし薬局", "Climbing Hall": "ボルダリング場", "Tonspur": "音の跡",
    "Bücherstube": "本の小部屋", "Spielzeugland": "おもちゃの国",
    "Pension Seeblick": "民宿 みずうみ荘", "Trattoria Al Porto": "港の食堂",
    "Island Ferries": "島渡し汽船", "Rail Desk": "駅の窓口", "Loan Interest": "ローン利息",
    "Market Value": "時価評価", "Werkstatt Krüger": "くるま修理 くろき",
    "Kiosk am Ring": "環状線売店",
    # Memos and notes
    "Monthly plan": "今月の計画", "More guests": "来客", "Year-end pay": "冬の賞与",
    "#weekend": "#週末", "#shared": "#共有", "#gifts": "#贈り物", "#holiday": "#旅行",
    "#car": "#車", "Clutch #car": "クラッチ交換 #車", "Closing the account": "口座解約",
    "Refund for last year": "昨年分の返金", "Food #shared": "食べ物 #共有",
    "Cash back": "現金引き出し", "Entered twice": "二重入力", "Check": "確認", "Tax": "税金",
    "Shared": "共有",
}  # fmt: skip
