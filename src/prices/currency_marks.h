// How currencies are written beside an amount.
#pragma once

#include <array>
#include <string_view>

namespace jobforge::services {

struct CurrencyMark {
    std::string_view text;
    std::string_view currencies;  // separated by blanks; the only one if there is one
};

// Longer marks that end like a shorter one stand first: US$ before $.
inline constexpr std::array kCurrencyMarks{
    CurrencyMark{"US$", "USD"},
    CurrencyMark{"CA$", "CAD"},
    CurrencyMark{"C$", "CAD"},
    CurrencyMark{"AU$", "AUD"},
    CurrencyMark{"A$", "AUD"},
    CurrencyMark{"NZ$", "NZD"},
    CurrencyMark{"HK$", "HKD"},
    CurrencyMark{"S$", "SGD"},
    CurrencyMark{"R$", "BRL"},
    CurrencyMark{"€", "EUR"},
    CurrencyMark{"£", "GBP"},
    CurrencyMark{"₹", "INR"},
    CurrencyMark{"₩", "KRW"},
    CurrencyMark{"₽", "RUB"},
    CurrencyMark{"₺", "TRY"},
    CurrencyMark{"₴", "UAH"},
    CurrencyMark{"₪", "ILS"},
    CurrencyMark{"zł", "PLN"},
    CurrencyMark{"Kč", "CZK"},
    // Ambiguous ones: used only together with a currency that is known from elsewhere.
    CurrencyMark{"$", "USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP"},
    CurrencyMark{"¥", "JPY CNY"},
    CurrencyMark{"kr", "SEK NOK DKK ISK"},
};

}  // namespace jobforge::services
